import { badRequest, type Reply, type Route, type ShownRole, type UncheckedInput, UserRoles } from '@horarium/core';
import { yesOrNo } from '../request/query.ts';
import { rolesBody, rolesSample } from './role-shapes.ts';
import { columnsOf } from './route-shape.ts';

/** The RBAC roles of a user, read and set as one list. */
export const roleRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/user/{userId}/roles.{suffix}',
    summary: 'List the RBAC roles of a user',
    shape: {
      operation: 'getRoles',
      tag: 'users',
      right: { resource: 'UserRoles', verbs: ['read'] },
      responses: { 200: { description: 'The roles, from the highest to the lowest.', body: rolesSample } },
    },
    authentication: 'required',
    handle: async ({ core, actor, id }) => rolesReply(await core.roles.list(actor, id('userId'))),
  },
  {
    method: 'POST',
    path: '/user/{userId}/roles/',
    summary: 'Give a user these RBAC roles in place of the others; with replace=false beside them',
    shape: {
      operation: 'setRoles',
      tag: 'users',
      right: { resource: 'UserRoles', verbs: ['update'] },
      parameters: {
        replace: {
          description: 'Whether those that are not named are taken away.',
          schema: { enum: ['true', 'false', '1', '0', 'yes', 'no'], default: 'true' },
        },
      },
      requestBody: rolesBody,
      responses: { 200: { description: 'All roles that the user has now.', body: rolesSample } },
    },
    authentication: 'required',
    handle: async ({ core, actor, id, query, body, inTransaction }) => {
      const replace = yesOrNo(query, 'replace', true);
      const user_id = id('userId');
      const input = rolesInput(body);
      const subject = { resource: UserRoles.name, row: { user_id, role: 'viewer' }, created: true };
      return inTransaction<ShownRole[]>(
        (hooks) => core.roles.set(actor, user_id, input, replace, hooks),
        (_tables, roles) => ({ ...rolesReply(roles), subject }),
      );
    },
  },
];

function rolesReply(value: readonly object[]): Reply {
  return {
    value,
    shape: { kind: 'list', name: 'role', many: 'roles', fields: null, summaryFields: columnsOf(rolesSample) },
  };
}

/** `{"roles": […]}`, or a form with a field `roles` for each. */
function rolesInput(body: UncheckedInput): unknown {
  if (body.kind === 'json') return body.value;
  if (body.kind === 'none') throw badRequest('The body must list roles, such as {"roles": ["viewer"]}.');
  return Object.fromEntries(
    [...body.fields].map(([name, texts]) => [name, texts.filter((text) => name !== 'roles' || text !== '')]),
  );
}
