import type { HttpRequest } from '@horarium/core';
import Negotiator from 'negotiator';
import { header } from './header.ts';

/** A method that the types of the library do not have yet: of what the client likes equally, the first of `preferred`. */
interface EncodingChoice {
  encoding(available: readonly string[], options: { readonly preferred: readonly string[] }): string | undefined;
}

/**
 * Returns the encoding that a client likes best by `Accept-Encoding`; undefined where it takes none of them.
 * @param available in the order of the server's preference.
 */
export function preferredEncoding(request: HttpRequest, available: readonly string[]): string | undefined {
  return (negotiator(request) as unknown as EncodingChoice).encoding(available, { preferred: available });
}

/** Returns the media type that a client likes best by `Accept`, the first one where it takes any; undefined where none. */
export function preferredType(request: HttpRequest, available: readonly string[]): string | undefined {
  return negotiator(request).mediaType(available);
}

/** Whether a client asks for HTML by that name, as browsers do for pages, and programs, which take any type, do not. */
export function asksForHtml(request: HttpRequest): boolean {
  return negotiator(request)
    .mediaTypes()
    .some((type) => type.toLowerCase() === 'text/html');
}

function negotiator(request: HttpRequest): Negotiator {
  const names = ['accept', 'accept-encoding'];
  return new Negotiator({ headers: Object.fromEntries(names.map((name) => [name, header(request, name)])) });
}
