import { badRequest, type HttpRequest, type SignedIn, type SignIn } from '@horarium/core';
import { isExpected } from '../reply/problems.ts';
import type { HttpOrigin } from '../request/origin.ts';
import type { SessionCookie } from '../session/session-cookie.ts';
import { unauthenticated } from './unauthenticated.ts';

export type Credentials =
  | { readonly kind: 'session'; readonly secret: string }
  | { readonly kind: 'bearer'; readonly token: string }
  | { readonly kind: 'basic'; readonly login: string; readonly password: string };

/**
 * Signs requests in by the credentials that they carry: those of a page by the cookie of a session alone, and all others by
 * their Authorization header alone.
 */
export class Authenticator {
  readonly #signIn: SignIn;
  readonly #cookie: SessionCookie;

  constructor(signIn: SignIn, cookie: SessionCookie) {
    this.#signIn = signIn;
    this.#cookie = cookie;
  }

  /** @throws HttpProblem 401 without valid credentials. */
  async authenticate(request: HttpRequest, origin: HttpOrigin): Promise<SignedIn> {
    const credentials = origin.channel === 'ui' ? this.#session(request) : readCredentials(request);
    if (!credentials) throw unauthenticated(origin.channel === 'ui' ? 'session' : 'none');
    return this.signIn(credentials, origin);
  }

  #session(request: HttpRequest): Credentials | null {
    const secret = this.#cookie.read(request);
    return secret === null ? null : { kind: 'session', secret };
  }

  /**
   * @param options.isLogin whether the request is a login, and not one of many that carry the same credentials. Every
   *   login is logged; the requests only when their password had to be verified again.
   * @throws HttpProblem 401, the same for every reason.
   */
  async signIn(credentials: Credentials, origin: HttpOrigin, { isLogin } = { isLogin: false }): Promise<SignedIn> {
    try {
      if (credentials.kind === 'bearer') return await this.#signIn.withToken(credentials.token, origin);
      if (credentials.kind === 'session') return await this.#signIn.withSession(credentials.secret, origin);
      return await this.#signIn.withPassword(credentials.login, credentials.password, origin, isLogin);
    } catch (error) {
      if (!isExpected(error) || error.code !== 'unauthenticated') throw error;
      throw unauthenticated(origin.channel === 'ui' && isLogin ? 'sessionLogin' : credentials.kind);
    }
  }
}

/**
 * Reads the Authorization header. Where a bearer token is sent, Basic is never tried.
 * @returns null when there is none.
 * @throws HttpProblem 401 for a header that cannot be read; HorariumError `bad_request` for two.
 */
export function readCredentials(request: Pick<HttpRequest, 'headers'>): Credentials | null {
  const headers = request.headers['authorization'] ?? [];
  const [value] = headers;
  if (headers.length > 1) throw badRequest('There are two Authorization headers; send one.');
  if (value === undefined) return null;
  const [, scheme = '', rest = ''] = /^(\S*)\s*(.*)$/s.exec(value.trim()) ?? [];
  if (scheme.toLowerCase() === 'bearer') {
    if (!/^[A-Za-z0-9._~+/-]+=*$/.test(rest)) throw unauthenticated('bearer');
    return { kind: 'bearer', token: rest };
  }
  if (scheme.toLowerCase() === 'basic') return readBasic(rest);
  throw unauthenticated('none');
}

function readBasic(encoded: string): Credentials {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) throw unauthenticated('basic');
  let pair: string;
  try {
    pair = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(encoded, 'base64'));
  } catch {
    throw unauthenticated('basic');
  }
  const colon = pair.indexOf(':');
  if (colon < 0) throw unauthenticated('basic');
  return { kind: 'basic', login: pair.slice(0, colon), password: pair.slice(colon + 1) };
}
