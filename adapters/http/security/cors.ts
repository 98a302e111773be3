import type { HttpRequest } from '@horarium/core';
import type { HttpResponse } from '../request/request.ts';
import { header } from '../request/request.ts';

/** What pages of other origins may read of an answer, beyond what they always may. */
const exposed = 'ETag, Idempotency-Replayed, Link, Location, Retry-After, X-Request-Id, X-Total-Count';
/** What they may send. Credentials they must know themselves: what a browser keeps for this site is not sent. */
const taken = 'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, X-Request-Id';
/** For how many seconds a browser need not ask again. */
const remembered = '600';

/** Which pages of other origins may call the API from a browser; none of them, unless they are listed. */
export class Cors {
  readonly #origins: ReadonlySet<string>;

  /** @param origins as browsers write them: `https://app.example.com`. */
  constructor(origins: readonly string[]) {
    this.#origins = new Set(origins);
  }

  allows(origin: string | undefined): boolean {
    return origin !== undefined && this.#origins.has(origin);
  }

  /** What every answer says about it; nothing where no page of another origin may call. */
  headers(request: HttpRequest): Record<string, string> {
    if (this.#origins.size === 0) return {};
    const origin = header(request, 'origin');
    // An answer without these headers must not be kept for an origin that would get them.
    if (!this.allows(origin)) return { Vary: 'Origin' };
    return {
      Vary: 'Origin',
      'Access-Control-Allow-Origin': origin as string,
      'Access-Control-Expose-Headers': exposed,
    };
  }

  /** Whether a browser asks before it sends something; such a question carries no credentials. */
  asks(request: HttpRequest): boolean {
    const asked = request.headers['access-control-request-method'] !== undefined;
    return request.method === 'OPTIONS' && asked && this.allows(header(request, 'origin'));
  }

  /** The answer to that question. @param allow the methods that the path knows. */
  answer(allow: string): HttpResponse {
    const headers = {
      'Access-Control-Allow-Methods': allow,
      'Access-Control-Allow-Headers': taken,
      'Access-Control-Max-Age': remembered,
    };
    return { status: 204, headers, body: null };
  }
}
