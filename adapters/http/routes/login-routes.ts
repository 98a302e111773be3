import {
  badRequest,
  formatInstant,
  invalid,
  type Reply,
  type Route,
  type RouteContext,
  recordInput,
  type SignedIn,
  type TokenRow,
  type UncheckedInput,
  User,
} from '@horarium/core';
import { readCredentials, unauthenticated } from '../security/authenticate.ts';
import { basicLoginShape, loginShape, logoutShape } from './login-shapes.ts';
import { item } from './system-routes.ts';

/** Signing in for a token, and ending it. */
export const loginRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/login.{suffix}',
    summary: 'Get a token for the login and password of a Basic header',
    shape: basicLoginShape,
    authentication: 'none',
    changes: true,
    confidential: () => true,
    handle: async (exchange) => {
      const given = readCredentials(exchange.request);
      if (given?.kind !== 'basic') throw unauthenticated('basic');
      return grant(exchange, given.login, given.password);
    },
  },
  {
    method: 'POST',
    path: '/login.{suffix}',
    summary: 'Get a token for a login and a password',
    shape: loginShape,
    authentication: 'none',
    confidential: () => true,
    handle: async (exchange) => {
      const { login, password } = loginFields(exchange.body);
      return grant(exchange, login, password);
    },
  },
  {
    method: 'POST',
    path: '/logout',
    summary: 'End the token that this request carries',
    shape: logoutShape,
    authentication: 'required',
    handle: async ({ core, actor, signedIn, inTransaction }) => {
      const id = signedIn?.tokenId ?? null;
      if (id === null) throw badRequest('Only a token can be ended; this request carries none.');
      return inTransaction<TokenRow>(
        (hooks) => core.tokens.revoke(actor, id, hooks),
        () => ({}),
      );
    },
  },
];

async function grant({ core, signIn }: RouteContext, login: string, password: string): Promise<Reply> {
  const signedIn = await signIn(login, password);
  const { secret, row } = await core.tokens.mintForLogin(signedIn.actor);
  const { expires_at } = row;
  return item('login', {
    access_token: secret,
    token: secret,
    token_type: 'Bearer',
    expires_in: expires_at === null ? null : Math.round((expires_at - core.clock.now()) / 1000),
    expires_at: expires_at === null ? null : formatInstant(expires_at),
    user: await shownUser(core, signedIn),
  });
}

async function shownUser(core: RouteContext['core'], { user }: SignedIn): Promise<object> {
  const resource = core.resources.find((each) => each.name === 'User');
  if (!resource) return { id: user.id, login: user.login };
  const [shown] = await core.serialize(resource, [user], 'list');
  return shown as object;
}

const known: readonly string[] = ['login', 'username', 'password'];

/** @throws HorariumError `invalid` naming each other field; HttpProblem `bad_request` when one is missing or is no text. */
function loginFields(body: UncheckedInput): { login: string; password: string } {
  const given = recordInput(User, body);
  const others = Object.keys(given).filter((name) => !known.includes(name));
  if (others.length > 0)
    throw invalid(
      'The login',
      others.map((field) => ({ field, message: `${field} is no part of a login; there are ${known.join(', ')}` })),
    );
  const login = given['login'] ?? given['username'];
  const { password } = given;
  if (typeof login !== 'string' || typeof password !== 'string')
    throw badRequest('Send login and password in the body, as JSON or as a form.');
  return { login, password };
}
