import { badRequest, type HttpRequest, type SignedIn, type SignIn } from '@horarium/core';
import { HttpProblem, isExpected } from '../reply/problems.ts';
import type { HttpOrigin } from '../request/origin.ts';

export type Credentials =
  | { readonly kind: 'bearer'; readonly token: string }
  | { readonly kind: 'basic'; readonly login: string; readonly password: string };

/** Signs requests in by the credentials that they carry. */
export class Authenticator {
  readonly #signIn: SignIn;

  constructor(signIn: SignIn) {
    this.#signIn = signIn;
  }

  /** @throws HttpProblem 401 without valid credentials. */
  async authenticate(request: HttpRequest, origin: HttpOrigin): Promise<SignedIn> {
    const credentials = readCredentials(request);
    if (!credentials) throw unauthenticated('none');
    return this.signIn(credentials, origin);
  }

  /**
   * @param options.isLogin whether the request is a login, and not one of many that carry the same credentials. Every
   *   login is logged; the requests only when their password had to be verified again.
   * @throws HttpProblem 401, the same for every reason.
   */
  async signIn(credentials: Credentials, origin: HttpOrigin, { isLogin } = { isLogin: false }): Promise<SignedIn> {
    try {
      if (credentials.kind === 'bearer') return await this.#signIn.withToken(credentials.token, origin);
      return await this.#signIn.withPassword(credentials.login, credentials.password, origin, isLogin);
    } catch (error) {
      throw isExpected(error) && error.code === 'unauthenticated' ? unauthenticated(credentials.kind) : error;
    }
  }
}

const basicChallenge = 'Basic realm="Horarium", charset="UTF-8"';

/**
 * The challenges of a 401. Browsers open their sign-in dialog for Basic, so it is absent where a token was sent. Each
 * challenge is a header of its own, because browsers read only the first scheme of a header and know no Bearer.
 */
const challenges: Readonly<Record<'none' | 'bearer' | 'basic', string | string[]>> = {
  none: ['Bearer', basicChallenge],
  bearer: 'Bearer error="invalid_token"',
  basic: basicChallenge,
};

/** Builds the error of a 401: the same for every reason why credentials of a kind are not valid. */
export function unauthenticated(kind: keyof typeof challenges): HttpProblem {
  const sentences = {
    none: 'Sign in with a bearer token or with login and password.',
    bearer: 'The token is unknown, expired or revoked.',
    basic: 'Login or password is wrong.',
  };
  return new HttpProblem('unauthenticated', sentences[kind], { 'WWW-Authenticate': challenges[kind] });
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
