import { formatInstant, type Instant, type Reply, type Route, type RouteContext } from '@horarium/core/plugin';
import { list, object, optionalText, text } from './schemas.ts';

const token = object({
  id: { type: 'integer' },
  kind: { enum: ['login', 'cli', 'session'] },
  name: optionalText,
  created_at: text,
  last_used_at: optionalText,
  expires_at: optionalText,
  current: { type: 'boolean', description: 'Whether this request was signed in with it.' },
});

/** What users may see and end of their own sign-ins: the browsers and programs that act for them. */
export const tokenRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/console/tokens',
    summary: 'List the sessions and tokens with which one can sign in as oneself',
    hidden: true,
    authentication: 'required',
    shape: {
      operation: 'listOwnTokens',
      tag: 'console',
      responses: {
        200: {
          description: 'Those that are valid, the ones that were used last first; never their secrets.',
          body: {
            schema: list(token),
            example: [
              {
                id: 7,
                kind: 'session',
                name: 'Firefox on Linux',
                created_at: '2026-11-21T05:00:00.000Z',
                last_used_at: '2026-11-21T06:10:00.000Z',
                expires_at: '2026-11-21T17:00:00.000Z',
                current: true,
              },
            ],
          },
        },
      },
    },
    handle: listTokens,
  },
  {
    method: 'DELETE',
    path: '/console/token/{tokenId}',
    summary: 'End one of one’s own sessions, or revoke a token of one’s own',
    hidden: true,
    authentication: 'required',
    shape: {
      operation: 'revokeOwnToken',
      tag: 'console',
      responses: { 204: { description: 'It signs in no more.' } },
    },
    handle: (context) =>
      context.inTransaction(
        async (tables) => {
          await context.core.tokens.revokeOwnIn(tables, context.actor, context.id('tokenId'));
          return {};
        },
        { beyondQuota: true },
      ),
  },
];

async function listTokens({ core, actor, signedIn }: RouteContext): Promise<Reply> {
  const time = (at: Instant | null) => (at === null ? null : formatInstant(at));
  const tokens = await core.tokens.listOwn(actor);
  const value = tokens.map(({ id, kind, name, created_at, last_used_at, expires_at }) => ({
    id,
    kind,
    name,
    created_at: formatInstant(created_at),
    last_used_at: time(last_used_at),
    expires_at: time(expires_at),
    current: id === signedIn?.tokenId,
  }));
  return { value, shape: { kind: 'list', name: 'token', fields: null } };
}
