import type { HttpRequest } from '@horarium/core';
import { basePath, sessionBasePath } from '../base-path.ts';
import { HttpProblem } from '../reply/problems.ts';
import type { HttpResponse } from '../reply/response.ts';
import { header } from '../request/header.ts';

/** The response headers that scripts of other origins may read, beyond those that they always may. */
const exposedHeaders = 'ETag, Idempotency-Replayed, Link, Location, Retry-After, Warning, X-Request-Id, X-Total-Count';
/**
 * The request headers that scripts of other origins may send. Credentials must be their own: what a browser stores is
 * not sent.
 */
const allowedHeaders = 'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, X-Request-Id';
/** The number of seconds for which a browser may cache the response to a preflight request. */
const preflightMaxAge = '600';

/**
 * Answers by CORS to the other origins whose pages may call the API from a browser; none may, unless they are listed.
 */
export class Cors {
  readonly #origins: ReadonlySet<string>;

  /** @param origins as browsers write them: `https://app.example.com`. */
  constructor(origins: readonly string[]) {
    this.#origins = new Set(origins);
  }

  allows(origin: string | undefined): boolean {
    return origin !== undefined && this.#origins.has(origin);
  }

  /** The headers of every response; none where no other origin may call. */
  headers(request: HttpRequest): Record<string, string> {
    if (this.#origins.size === 0) return {};
    const origin = header(request, 'origin');
    // `Vary` keeps a cache from giving a response without these headers to an origin that would get them.
    if (!this.allows(origin)) return { Vary: 'Origin' };
    return {
      Vary: 'Origin',
      'Access-Control-Allow-Origin': origin as string,
      'Access-Control-Expose-Headers': exposedHeaders,
    };
  }

  /** Whether a request is a preflight: a browser asks before it sends another request, without credentials. */
  isPreflight(request: HttpRequest): boolean {
    const namesMethod = request.headers['access-control-request-method'] !== undefined;
    return request.method === 'OPTIONS' && namesMethod && this.allows(header(request, 'origin'));
  }

  /** Answers a preflight. @param allow the methods that the path knows. */
  preflightResponse(allow: string): HttpResponse {
    const headers = {
      'Access-Control-Allow-Methods': allow,
      'Access-Control-Allow-Headers': allowedHeaders,
      'Access-Control-Max-Age': preflightMaxAge,
    };
    return { status: 204, headers, body: null };
  }
}

/**
 * Checks that a change was not sent by a browser for a page of another site, whatever credentials it carries.
 * @param ownOrigin the origin of the public URL, where there is one.
 * @param secure whether the client's own connection is TLS.
 * @throws HttpProblem 403.
 */
export function refuseCrossSite(request: HttpRequest, ownOrigin: string | null, secure: boolean, cors: Cors): void {
  const origin = header(request, 'origin');
  if (cors.allows(origin)) return;
  if (header(request, 'sec-fetch-site')?.trim().toLowerCase() === 'cross-site')
    throw new HttpProblem('denied', 'A page of another site may not change anything here.');
  if (origin === undefined || isOwnOrigin(request, ownOrigin, secure)) return;
  throw new HttpProblem('denied', `A page of ${origin} may not change anything here.`);
}

/**
 * Checks that a request with the cookie of a session was sent by a page of the service. A browser names where the page is
 * from in `Sec-Fetch-Site`, which no page can set; older ones send `Origin` with what may change something.
 * @param ownOrigin the origin of the public URL, where there is one.
 * @param secure whether the client's own connection is TLS.
 * @param changes whether the request may change something; what only reads may come from the address bar, too.
 * @throws HttpProblem 403.
 */
export function requireSameOrigin(
  request: HttpRequest,
  { ownOrigin, secure, changes }: { ownOrigin: string | null; secure: boolean; changes: boolean },
): void {
  const site = header(request, 'sec-fetch-site')?.trim().toLowerCase();
  if (site === 'same-origin' || (site === 'none' && !changes)) return;
  if (site === undefined && (!changes || isOwnOrigin(request, ownOrigin, secure))) return;
  throw new HttpProblem(
    'denied',
    `Only pages of this service may call ${sessionBasePath}; programs call ${basePath} with a token.`,
  );
}

function isOwnOrigin(request: HttpRequest, ownOrigin: string | null, secure: boolean): boolean {
  const origin = header(request, 'origin');
  if (origin === undefined) return false;
  return origin === ownOrigin || isSentToOrigin(origin, secure, header(request, 'host'));
}

/**
 * Whether the request was sent to the origin of the page. A page that came in the clear has another origin than one
 * that came over TLS.
 */
function isSentToOrigin(origin: string, secure: boolean, host: string | undefined): boolean {
  const ownOrigin = `${secure ? 'https' : 'http'}://${host}`;
  return host !== undefined && URL.canParse(ownOrigin) && new URL(ownOrigin).origin === origin.toLowerCase();
}
