import type { HttpRequest } from '@horarium/core';
import { parseCookie, stringifySetCookie } from 'cookie';
import { sessionBasePath } from '../base-path.ts';
import type { TrustedProxies } from '../security/networks.ts';
import { isSecure } from '../security/transport.ts';
import { unauthenticated } from '../security/unauthenticated.ts';

const plainName = 'horarium_session';
/** Browsers take a cookie with this prefix over TLS only, so that it cannot be planted over a connection in the clear. */
const secureName = `__Secure-${plainName}`;

/**
 * The cookie that carries the secret of a session. Browsers send it to the paths of sessions alone, never for pages of other
 * sites, and show it to no script.
 */
export class SessionCookie {
  readonly #path: string;
  readonly #proxies: TrustedProxies;

  /** @param rootPath the path that browsers know the service by, without a slash at its end: empty, or `/scheduler`. */
  constructor(rootPath: string, proxies: TrustedProxies) {
    this.#path = `${rootPath}${sessionBasePath}/`;
    this.#proxies = proxies;
  }

  /**
   * Reads the secret, whatever it is.
   * @returns null without the cookie.
   * @throws HttpProblem 401 for two of them: another site of the same domain may have set one.
   */
  read(request: HttpRequest): string | null {
    const name = this.#nameFor(request);
    const pairs = (request.headers['cookie'] ?? []).flatMap((header) => header.split(';'));
    // The library returns one value for each name, so each pair is parsed alone.
    const values = pairs.flatMap((pair) => parseCookie(pair)[name] ?? []);
    if (values.length > 1) throw unauthenticated('cookies');
    return values[0] ?? null;
  }

  /** Returns the header `Set-Cookie`. @param maxAge in seconds; null = until the browser is closed. */
  write(request: HttpRequest, secret: string, maxAge: number | null): string {
    return stringifySetCookie({
      name: this.#nameFor(request),
      value: secret,
      path: this.#path,
      httpOnly: true,
      sameSite: 'strict',
      secure: isSecure(request, this.#proxies),
      ...(maxAge !== null && { maxAge }),
    });
  }

  /** Returns the header `Set-Cookie` that removes the cookie. */
  clear(request: HttpRequest): string {
    return this.write(request, '', 0);
  }

  #nameFor(request: HttpRequest): string {
    return isSecure(request, this.#proxies) ? secureName : plainName;
  }
}
