import type { Cors } from './cors.ts';
import { HttpProblem } from './problems.ts';
import { type HttpRequest, header } from './request.ts';

/**
 * Refuses what a browser was made to send by a page of somebody else, whatever credentials it carries.
 * @param own the origin that others reach the service by, where it is known.
 * @param cors the origins whose pages may call from a browser.
 * @throws HttpProblem 403.
 */
export function refuseCrossSite(request: HttpRequest, own: string | null, cors: Cors): void {
  const origin = header(request, 'origin');
  if (cors.allows(origin)) return;
  if (header(request, 'sec-fetch-site')?.trim().toLowerCase() === 'cross-site')
    throw new HttpProblem('denied', 'A page of another site may not change anything here.');
  if (origin === undefined || origin === own || sameHost(origin, header(request, 'host'))) return;
  throw new HttpProblem('denied', `A page of ${origin} may not change anything here.`);
}

function sameHost(origin: string, host: string | undefined): boolean {
  return host !== undefined && URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
}
