import {
  type AnyResource,
  type BodyShape,
  badRequest,
  type Reply,
  type Route,
  type RouteContext,
  recordInput,
  type Saved,
  User,
  type UserRow,
} from '@horarium/core';
import { readPreconditions } from '../request/preconditions.ts';
import { queryId, resourceRoutes, savedReply } from './resource-routes.ts';
import { barePath } from './route.ts';
import { objectOf } from './route-shape.ts';

const user: AnyResource = User;
const { names: words } = user;
const text = { type: 'string' };

/** Where users are saved: a body with `old_password` is somebody's change of their own password. */
export const ownPasswordRoutes: readonly Route[] = resourceRoutes(user)
  .filter(({ method }) => method === 'POST')
  .map((route) => ({
    ...route,
    summary: `${route.summary}, or one's own password`,
    shape: { ...route.shape, requestBody: orOwnPassword(route.shape.requestBody as BodyShape) },
    handle: async (exchange) => {
      const input = recordInput(user, exchange.body);
      return Object.hasOwn(input, 'old_password') ? change(route, exchange, input) : route.handle(exchange);
    },
  }));

function orOwnPassword({ schema, example }: BodyShape): BodyShape {
  const id = { type: 'integer', minimum: 1 };
  const passwords = objectOf({ old_password: text, password: { ...text, minLength: 12, maxLength: 1024 } });
  const own = {
    ...passwords,
    properties: { id, ...(passwords['properties'] as object) },
    description: "One's own password, given the old one; it ends the tokens that were got by signing in.",
  };
  return { schema: { anyOf: [schema, own] }, example };
}

async function change(
  route: Route,
  exchange: RouteContext,
  { id: bodyId, ...input }: Record<string, unknown>,
): Promise<Reply> {
  const { core, actor, request, inTransaction } = exchange;
  const inPath = barePath(route).endsWith('}') ? exchange.id(words.id) : queryId(exchange, words.id);
  const id = inPath ?? (bodyId as number | undefined);
  if (id === undefined) throw badRequest('old_password needs the id of the user.');
  if (bodyId !== undefined && bodyId !== id)
    throw badRequest(`The body says id ${bodyId}, the address says ${id}; they must be the same.`);
  const { version } = readPreconditions(request);
  return inTransaction<Saved<UserRow>>(
    (hooks) => core.passwordChange.change(actor, id, input, { version }, hooks),
    async (tables, saved) => {
      // Everybody may do this for themselves, so nothing needs to be looked at before the answer is given again.
      const { subject: _none, ...reply } = await savedReply(exchange, user, tables, saved);
      return reply;
    },
  );
}
