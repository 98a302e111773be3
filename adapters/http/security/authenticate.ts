import { badRequest, type HttpRequest } from '@horarium/core';
import { HttpProblem } from '../reply/problems.ts';

export type Credentials =
  | { readonly kind: 'bearer'; readonly token: string }
  | { readonly kind: 'basic'; readonly login: string; readonly password: string };

const basicChallenge = 'Basic realm="Horarium", charset="UTF-8"';

/**
 * What a client is told to send; the sign-in page of browsers is asked for only where no token was given. Each
 * challenge is a header of its own: browsers take the first scheme of a header only, and know no Bearer.
 */
const challenges: Readonly<Record<'none' | 'bearer' | 'basic', string | string[]>> = {
  none: ['Bearer', basicChallenge],
  bearer: 'Bearer error="invalid_token"',
  basic: basicChallenge,
};

/** One and the same answer for every reason why credentials of that kind do not count. */
export function unauthenticated(kind: keyof typeof challenges): HttpProblem {
  const sentences = {
    none: 'Sign in with a bearer token or with login and password.',
    bearer: 'The token is unknown, expired or revoked.',
    basic: 'Login or password is wrong.',
  };
  return new HttpProblem('unauthenticated', sentences[kind], { 'WWW-Authenticate': challenges[kind] });
}

/**
 * Reads the Authorization header. A bearer token is judged alone: where one is given, Basic is never tried.
 * @returns null when there is none.
 * @throws HttpProblem 400 for two headers, 401 for one that cannot be read.
 */
export function readCredentials(request: Pick<HttpRequest, 'headers'>): Credentials | null {
  const headers = request.headers['authorization'] ?? [];
  const [given] = headers;
  if (headers.length > 1) throw badRequest('There are two Authorization headers; send one.');
  if (given === undefined) return null;
  const [, scheme = '', rest = ''] = /^(\S*)\s*(.*)$/s.exec(given.trim()) ?? [];
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
