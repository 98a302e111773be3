import {
  type AnyResource,
  type BodyShape,
  badRequest,
  exampleOutput,
  type FieldError,
  formatInstant,
  knownFields,
  maxLoginLength,
  maxPasswordLength,
  type Reply,
  type ReplyShape,
  type Route,
  type RouteContext,
  type RouteShape,
  recordInput,
  type SignedIn,
  type Tables,
  throwIfInvalid,
  type UncheckedInput,
  User,
} from '@horarium/core';
import { objectOf, schemaNamed, textSchema } from '../openapi/json-schemas.ts';
import { listColumns, schemaNames } from '../openapi/record-schemas.ts';
import { itemReply } from '../reply/item-reply.ts';
import { readCredentials } from '../security/authenticate.ts';
import { unauthenticated } from '../security/unauthenticated.ts';

const tag = 'session';
const user: AnyResource = User;
const exampleToken = `hor_${'k3Jx9'.repeat(8)}Zq0`;

const tokenReply: ReplyShape = {
  description: 'A token. It is shown only once.',
  body: {
    schema: objectOf({
      access_token: textSchema,
      token: { ...textSchema, description: 'The same as access_token.' },
      token_type: { const: 'Bearer' },
      expires_in: { type: ['integer', 'null'], description: 'Seconds.' },
      expires_at: { type: ['string', 'null'], format: 'date-time' },
      user: schemaNamed(schemaNames(user).list),
    }),
    example: {
      access_token: exampleToken,
      token: exampleToken,
      token_type: 'Bearer',
      expires_in: 43_200,
      expires_at: '2026-11-21T17:00:00.000Z',
      user: exampleOutput(user, listColumns(user)),
    },
  },
};

export const credentialsBody: BodyShape = {
  schema: {
    type: 'object',
    properties: {
      login: { ...textSchema, maxLength: maxLoginLength },
      username: { ...textSchema, maxLength: maxLoginLength, description: 'The same as login.' },
      password: { ...textSchema, maxLength: maxPasswordLength },
    },
    required: ['password'],
    anyOf: [{ required: ['login'] }, { required: ['username'] }],
    additionalProperties: false,
  },
  example: { login: 'jane', password: 'correct horse battery staple' },
};

/** Both ways to sign in reject wrong credentials, and too many attempts. */
const signInShape = { tag, errors: [401, 429], responses: { 200: tokenReply } };
const basicLoginShape: RouteShape = { ...signInShape, operation: 'loginWithBasic', basicOnly: true };
const loginShape: RouteShape = { ...signInShape, operation: 'login', requestBody: credentialsBody };
const logoutShape: RouteShape = {
  operation: 'logout',
  tag,
  responses: { 204: { description: 'The token is revoked.' } },
};

/** Signing in for a token, and revoking it. */
export const loginRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/login.{suffix}',
    summary: 'Get a token for the login and password of a Basic header',
    shape: basicLoginShape,
    authentication: 'none',
    changes: true,
    confidential: () => true,
    handle: async (context) => {
      const credentialsOfRequest = readCredentials(context.request);
      if (credentialsOfRequest?.kind !== 'basic') throw unauthenticated('basic');
      return grantToken(context, credentialsOfRequest.login, credentialsOfRequest.password);
    },
  },
  {
    method: 'POST',
    path: '/login.{suffix}',
    summary: 'Get a token for a login and a password',
    shape: loginShape,
    authentication: 'none',
    confidential: () => true,
    handle: async (context) => {
      const { login, password } = loginFields(context.body);
      return grantToken(context, login, password);
    },
  },
  {
    method: 'POST',
    path: '/logout',
    summary: 'Revoke the token of this request',
    shape: logoutShape,
    authentication: 'required',
    handle: async (context) => {
      const id = context.signedIn?.tokenId ?? null;
      if (id === null) throw badRequest('Only a token can be revoked; this request carries none.');
      const revoke = async (tables: Tables) => {
        await context.core.tokens.revokeIn(tables, context.actor, id);
        return {};
      };
      return context.inTransaction(revoke, { beyondQuota: true });
    },
  },
];

async function grantToken(context: RouteContext, login: string, password: string): Promise<Reply> {
  const { core } = context;
  const signedIn = await context.signIn(login, password);
  const { secret, row } = await core.tokens.issueForLogin(signedIn.actor);
  const { expires_at } = row;
  return itemReply('login', {
    access_token: secret,
    token: secret,
    token_type: 'Bearer',
    expires_in: expires_at === null ? null : Math.round((expires_at - core.clock.now()) / 1000),
    expires_at: expires_at === null ? null : formatInstant(expires_at),
    user: await shownUser(context, signedIn),
  });
}

/** Returns the user of a sign-in as lists show users. */
export async function shownUser(
  { core }: Pick<RouteContext, 'core'>,
  { user: row }: Pick<SignedIn, 'user'>,
): Promise<object> {
  const [shown] = await core.forChannels.serialize(user, [row], 'list');
  return shown as object;
}

const maxLengths = { login: maxLoginLength, username: maxLoginLength, password: maxPasswordLength };

/**
 * Reads login and password from the body.
 * @throws HorariumError `invalid` naming each other or too long field; `bad_request` for a missing one, or no text.
 */
export function loginFields(body: UncheckedInput): { login: string; password: string } {
  const errors: FieldError[] = [];
  const names = Object.keys(maxLengths);
  const input = Object.fromEntries(knownFields(recordInput(user, body), names, 'a field of a login', errors));
  for (const [field, max] of Object.entries(maxLengths))
    if (String(input[field] ?? '').length > max)
      errors.push({ field, message: `${field} may have at most ${max} characters` });
  throwIfInvalid('The login', errors);
  const login = input['login'] ?? input['username'];
  const { password } = input;
  if (typeof login !== 'string' || typeof password !== 'string')
    throw badRequest('Send login and password in the body, as JSON or as a form.');
  return { login, password };
}
