import { HttpProblem } from '../reply/problems.ts';

const basicChallenge = 'Basic realm="Horarium", charset="UTF-8"';
/** HTTP wants a challenge with each 401; browsers know none of that scheme, and so open no dialog. */
const sessionChallenge = 'Cookie realm="Horarium"';

/**
 * The challenges of a 401. Browsers open their sign-in dialog for Basic, so it is absent where a token was sent. Each
 * challenge is a header of its own, because browsers read only the first scheme of a header and know no Bearer.
 */
const challenges = {
  none: ['Bearer', basicChallenge],
  bearer: 'Bearer error="invalid_token"',
  basic: basicChallenge,
  session: sessionChallenge,
  cookies: sessionChallenge,
  sessionLogin: sessionChallenge,
} as const;

const wrongPassword = 'Login or password is wrong.';
const sentences: Readonly<Record<keyof typeof challenges, string>> = {
  none: 'Sign in with a bearer token or with login and password.',
  bearer: 'The token is unknown, expired or revoked.',
  basic: wrongPassword,
  session: 'There is no session here, or it has ended; sign in.',
  cookies: 'There are two session cookies, and only one can be yours; remove the cookies of this site, and sign in.',
  sessionLogin: wrongPassword,
};

/** Builds the error of a 401: the same for every reason why credentials of a kind are not valid. */
export function unauthenticated(kind: keyof typeof challenges): HttpProblem {
  const challenge = challenges[kind];
  const header = typeof challenge === 'string' ? challenge : [...challenge];
  return new HttpProblem('unauthenticated', sentences[kind], { 'WWW-Authenticate': header });
}
