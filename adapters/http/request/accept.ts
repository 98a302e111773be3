import type { HttpRequest } from '@horarium/core';
import Negotiator from 'negotiator';
import { header } from './header.ts';

/** Returns the media type that a client likes best by `Accept`, the first one where it takes any; undefined where none. */
export function preferredType(request: HttpRequest, available: readonly string[]): string | undefined {
  return new Negotiator({ headers: { accept: header(request, 'accept') } }).mediaType(available);
}
