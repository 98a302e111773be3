import type { HttpRequest } from '@horarium/core';
import { HttpProblem } from '../reply/problems.ts';
import { header } from '../request/request.ts';
import type { Cors } from './cors.ts';

/**
 * Refuses what a browser was made to send by a page of somebody else, whatever credentials it carries.
 * @param own the origin that others reach the service by, where it is known.
 * @param secure whether the client's own connection is TLS.
 * @param cors the origins whose pages may call from a browser.
 * @throws HttpProblem 403.
 */
export function refuseCrossSite(request: HttpRequest, own: string | null, secure: boolean, cors: Cors): void {
  const origin = header(request, 'origin');
  if (cors.allows(origin)) return;
  if (header(request, 'sec-fetch-site')?.trim().toLowerCase() === 'cross-site')
    throw new HttpProblem('denied', 'A page of another site may not change anything here.');
  if (origin === undefined || origin === own || isAddressed(origin, secure, header(request, 'host'))) return;
  throw new HttpProblem('denied', `A page of ${origin} may not change anything here.`);
}

/** Whether the request went to that very origin. A page that came in the clear is not one that came over TLS. */
function isAddressed(origin: string, secure: boolean, host: string | undefined): boolean {
  const own = `${secure ? 'https' : 'http'}://${host}`;
  return host !== undefined && URL.canParse(own) && new URL(own).origin === origin.toLowerCase();
}
