import {
  type BodyShape,
  badRequest,
  maxRolesGiven,
  type Reply,
  type Route,
  roleIds,
  roleNames,
  roles,
  type Sample,
  type UncheckedInput,
  UserRoles,
} from '@horarium/core';
import { columnsOf, objectOf, textSchema } from '../openapi/json-schemas.ts';
import { readFlag } from '../request/query.ts';

const time = { type: ['string', 'null'], format: 'date-time' };
const name = { enum: roles };
const id = { type: 'integer', minimum: 1, maximum: roles.length };

const rolesSample: Sample = {
  schema: {
    type: 'array',
    items: objectOf({
      id: { ...id, description: 'The id of the role itself, not of its assignment to the user.' },
      name,
      display_name: textSchema,
      is_active: { type: 'boolean', description: 'Whether the role is in force.' },
      assigned_at: time,
      expires_at: time,
    }),
  },
  example: [
    {
      id: roleIds.editor,
      name: 'editor',
      display_name: roleNames.editor,
      is_active: true,
      assigned_at: '2026-11-21T05:00:00.000Z',
      expires_at: null,
    },
  ],
};

/** Describes a body that lists roles by name or id, each with an expiry where it is to have one. */
const rolesBody: BodyShape = {
  schema: objectOf({
    roles: {
      type: 'array',
      maxItems: maxRolesGiven,
      items: {
        anyOf: [name, id, { type: 'object', properties: { name, id, expires_at: time }, additionalProperties: false }],
      },
    },
  }),
  example: { roles: ['editor'] },
};

/** Routes of the RBAC roles of a user, which are read and set as one list. */
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
    handle: async (context) => rolesReply(await context.core.roles.list(context.actor, context.id('userId'))),
  },
  {
    method: 'POST',
    path: '/user/{userId}/roles/',
    summary: 'Set the RBAC roles of a user; with replace=false add to them',
    shape: {
      operation: 'setRoles',
      tag: 'users',
      right: { resource: 'UserRoles', verbs: ['update'] },
      parameters: {
        replace: {
          description: 'Whether the roles that are not listed are taken away.',
          schema: { enum: ['true', 'false', '1', '0', 'yes', 'no'], default: 'true' },
        },
      },
      requestBody: rolesBody,
      responses: { 200: { description: 'All roles that the user has now.', body: rolesSample } },
      dryRun: true,
    },
    authentication: 'required',
    handle: async (context) => {
      const { core, actor } = context;
      const replace = readFlag(context.query, 'replace', true);
      const user_id = context.id('userId');
      const input = rolesInput(context.body);
      const writtenRecord = { resource: UserRoles.name, row: { user_id, role: 'viewer' }, created: true };
      return context.inTransaction(async (tables) => ({
        ...rolesReply(await core.roles.setIn(tables, actor, user_id, input, replace)),
        writtenRecord,
      }));
    },
  },
];

function rolesReply(value: readonly object[]): Reply {
  return {
    value,
    shape: { kind: 'list', name: 'role', plural: 'roles', fields: null, summaryFields: columnsOf(rolesSample) },
  };
}

/** Reads the roles from `{"roles": […]}`, or from a form with a field `roles` for each. */
function rolesInput(body: UncheckedInput): unknown {
  if (body.kind === 'json') return body.value;
  if (body.kind === 'none') throw badRequest('The body must list roles, such as {"roles": ["viewer"]}.');
  return Object.fromEntries(
    [...body.fields].map(([field, texts]) => [field, texts.filter((text) => field !== 'roles' || text !== '')]),
  );
}
