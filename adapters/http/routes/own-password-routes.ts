import {
  type AnyResource,
  type BodyShape,
  badRequest,
  maxPasswordLength,
  minPasswordLength,
  type Reply,
  type Right,
  type Route,
  type RouteContext,
  recordInput,
  type Tables,
  User,
} from '@horarium/core';
import { idSchema, objectOf, textSchema } from '../openapi/json-schemas.ts';
import { readPreconditions } from '../request/preconditions.ts';
import { barePath } from '../route-paths.ts';
import { queryId, resourceRoutes, savedReply } from './resource-routes.ts';

const user: AnyResource = User;

/** The routes that save users: a body with `old_password` changes the caller's own password. */
export const ownPasswordRoutes: readonly Route[] = resourceRoutes(user)
  .filter(({ method }) => method === 'POST')
  .map((route) => ({
    ...route,
    summary: `${route.summary}, or one's own password`,
    shape: {
      ...route.shape,
      right: { ...(route.shape.right as Right), orOwn: true },
      requestBody: orOwnPassword(route.shape.requestBody as BodyShape),
    },
    handle: async (context) => {
      const input = recordInput(user, context.body);
      return Object.hasOwn(input, 'old_password') ? changeOwnPassword(route, context, input) : route.handle(context);
    },
  }));

function orOwnPassword({ schema, example }: BodyShape): BodyShape {
  const id = idSchema;
  const old_password = { ...textSchema, maxLength: maxPasswordLength };
  const passwords = objectOf({ old_password, password: { ...old_password, minLength: minPasswordLength } });
  const ownPassword = {
    ...passwords,
    properties: { id, ...(passwords['properties'] as object) },
    description: "Changes one's own password, given the old one, and revokes one's login tokens and sessions.",
  };
  return { schema: { anyOf: [schema, ownPassword] }, example };
}

async function changeOwnPassword(
  route: Route,
  context: RouteContext,
  { id: bodyId, ...input }: Record<string, unknown>,
): Promise<Reply> {
  const { core, actor, request } = context;
  const urlId = barePath(route).endsWith('}') ? context.id(user.names.id) : queryId(context, user.names.id);
  const id = urlId ?? (bodyId as number | undefined);
  if (id === undefined) throw badRequest('old_password needs the id of the user.');
  if (bodyId !== undefined && bodyId !== id)
    throw badRequest(`The body says id ${bodyId}, the address says ${id}; they must be the same.`);
  const { version } = readPreconditions(request);
  const verified = await core.passwordChange.verify(actor, id, input);
  const changePassword = async (tables: Tables) => {
    const saved = await core.passwordChange.changeIn(tables, verified, { version });
    // Every user may do this for themselves, so no permission is checked before the stored response is replayed.
    const { writtenRecord: _none, ...reply } = await savedReply(context, user, tables, saved, { created: false });
    return reply;
  };
  return context.inTransaction(changePassword, { beyondQuota: true });
}
