import {
  type AnyResource,
  companyRoles,
  exampleOutput,
  formatInstant,
  type Instant,
  nullable,
  type Reply,
  type ReplyShape,
  type Route,
  type RouteContext,
  roles,
  type SignedIn,
  type Tables,
  User,
} from '@horarium/core';
import { sessionPath } from '../base-path.ts';
import { idSchema, objectOf, schemaNamed, timeSchema } from '../openapi/json-schemas.ts';
import { listColumns, schemaNames } from '../openapi/record-schemas.ts';
import { itemReply } from '../reply/item-reply.ts';
import { header } from '../request/header.ts';
import { credentialsBody, loginFields, shownUser } from '../routes/login-routes.ts';
import { browserName } from './browser-name.ts';
import type { SessionCookie } from './session-cookie.ts';

const tag = 'session';
const user: AnyResource = User;

const sessionReply: ReplyShape = {
  description: 'Who has signed in, with what decides their rights.',
  body: {
    schema: objectOf({
      user: schemaNamed(schemaNames(user).list),
      roles: { type: 'array', items: { enum: roles }, description: 'Those that have not expired.' },
      memberships: { type: 'array', items: objectOf({ company_id: idSchema, role: { enum: companyRoles } }) },
      expires_at: nullable(timeSchema),
    }),
    example: {
      user: exampleOutput(user, listColumns(user)),
      roles: ['viewer'],
      memberships: [{ company_id: 1, role: 'operator' }],
      expires_at: '2026-11-21T17:00:00.000Z',
    },
  },
};

/** The routes of a session itself: a page signs in, asks who has, and signs out. They exist for pages alone. */
export function sessionRoutes(cookie: SessionCookie): readonly Route[] {
  const place = { path: sessionPath, atRoot: true, hidden: true } as const;
  return [
    {
      ...place,
      method: 'POST',
      summary: 'Begin a session with a login and a password',
      shape: {
        operation: 'beginSession',
        tag,
        errors: [401, 409, 429],
        requestBody: credentialsBody,
        responses: { 200: { ...sessionReply, headers: ['Set-Cookie'] } },
      },
      authentication: 'none',
      confidential: () => true,
      handle: (context) => begin(context, cookie),
    },
    {
      ...place,
      method: 'GET',
      summary: 'Show who has signed in for this session',
      shape: { operation: 'getSession', tag, responses: { 200: sessionReply } },
      authentication: 'required',
      handle: async (context) => {
        const signedIn = context.signedIn as SignedIn;
        return shownSession(context, signedIn, signedIn.expiresAt);
      },
    },
    {
      ...place,
      method: 'DELETE',
      summary: 'End this session',
      shape: {
        operation: 'endSession',
        tag,
        responses: { 204: { description: 'The session has ended.', headers: ['Set-Cookie'] } },
      },
      authentication: 'required',
      handle: async (context) => {
        const { core, actor, signedIn, request } = context;
        const revoke = async (tables: Tables) => {
          await core.tokens.revokeIn(tables, actor, signedIn?.tokenId as number);
          return { headers: { 'Set-Cookie': cookie.clear(request) } };
        };
        return context.inTransaction(revoke, { beyondQuota: true });
      },
    },
  ];
}

/** Begins a session, and ends the one that the browser had, so that a secret that was planted or read before is worth nothing. */
async function begin(context: RouteContext, cookie: SessionCookie): Promise<Reply> {
  const { core, request } = context;
  const replaced = cookie.read(request);
  const { login, password } = loginFields(context.body);
  const signedIn = await context.signIn(login, password);
  const name = browserName(header(request, 'user-agent'));
  const { secret, row } = await core.tokens.issueSession(signedIn, { name, replaced });
  const { expires_at } = row;
  const maxAge = expires_at === null ? null : Math.round((expires_at - core.clock.now()) / 1000);
  const reply = await shownSession(context, signedIn, expires_at);
  return { ...reply, headers: { 'Set-Cookie': cookie.write(request, secret, maxAge) } };
}

async function shownSession(
  context: Pick<RouteContext, 'core'>,
  signedIn: Pick<SignedIn, 'actor' | 'user'>,
  expiresAt: Instant | null,
): Promise<Reply> {
  const { actor } = signedIn;
  return itemReply('session', {
    user: await shownUser(context, signedIn),
    roles: [...actor.roles],
    memberships: [...actor.memberships].map(([company_id, role]) => ({ company_id, role })),
    expires_at: expiresAt === null ? null : formatInstant(expiresAt),
  });
}
