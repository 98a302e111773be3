import { type AnyResource, type BodyShape, exampleShown, type ReplyShape, type RouteShape, User } from '@horarium/core';
import { listColumns, schemaNames } from '../openapi/record-schemas.ts';
import { objectOf, schemaNamed } from './route-shape.ts';

const tag = 'session';
const user: AnyResource = User;
const text = { type: 'string' };
const secret = `hor_${'k3Jx9'.repeat(8)}Zq0`;

const granted: ReplyShape = {
  description: 'A token. It is shown this once.',
  body: {
    schema: objectOf({
      access_token: text,
      token: { ...text, description: 'The same once more.' },
      token_type: { const: 'Bearer' },
      expires_in: { type: ['integer', 'null'], description: 'Seconds.' },
      expires_at: { type: ['string', 'null'], format: 'date-time' },
      user: schemaNamed(schemaNames(user).list),
    }),
    example: {
      access_token: secret,
      token: secret,
      token_type: 'Bearer',
      expires_in: 43_200,
      expires_at: '2026-11-21T17:00:00.000Z',
      user: exampleShown(user, listColumns(user)),
    },
  },
};

const credentials: BodyShape = {
  schema: {
    type: 'object',
    properties: { login: text, username: { ...text, description: 'The same as login.' }, password: text },
    required: ['password'],
    anyOf: [{ required: ['login'] }, { required: ['username'] }],
    additionalProperties: false,
  },
  example: { login: 'jane', password: 'correct horse battery staple' },
};

/** Either way to sign in, which refuses wrong credentials, and too many of them. */
const signIn = { tag, errors: [401, 429], responses: { 200: granted } };

export const basicLoginShape: RouteShape = { ...signIn, operation: 'loginWithBasic', basicOnly: true };

export const loginShape: RouteShape = { ...signIn, operation: 'login', requestBody: credentials };

export const logoutShape: RouteShape = {
  operation: 'logout',
  tag,
  responses: { 204: { description: 'The token counts no more.' } },
};
