import {
  badRequest,
  Company,
  CompanyUser,
  type CompanyUserInput,
  type CompanyUserRow,
  notFound,
  type Route,
  type RouteContext,
  unchecked,
} from '@horarium/core';
import { getShape, recordBody, savedReplies, updateShape } from '../openapi/record-shapes.ts';
import { readPreconditions } from '../request/preconditions.ts';
import { recordToSave } from '../request/record-input.ts';
import { conditionalReply, listRoute, savedReply } from './resource-routes.ts';

/** The memberships of users in a company, with their roles there. */
export const membershipRoutes: readonly Route[] = [
  listRoute(CompanyUser, {
    path: '/company/{companyId}/users.{suffix}',
    summary: 'List the users of a company with their roles there, newest first',
    operation: 'listMembers',
    tag: 'companies',
    scope: async (context) => ({ company_id: await companyOf(context) }),
  }),
  {
    method: 'POST',
    path: '/company/{companyId}/user/',
    summary: 'Assign a user to a company, or change the role there',
    authentication: 'required',
    shape: {
      operation: 'saveMember',
      tag: 'companies',
      right: { resource: 'CompanyUser', verbs: ['create', 'update'] },
      requestBody: recordBody(CompanyUser),
      responses: savedReplies(CompanyUser),
      preconditions: ['If-Match', 'If-None-Match'],
      dryRun: true,
    },
    handle: async (context) => saveMember(context, await companyOf(context), {}),
  },
  {
    method: 'POST',
    path: '/company/{companyId}/user/{userId}.{suffix}',
    summary: 'Change the role of one user in a company',
    authentication: 'required',
    shape: { ...updateShape(CompanyUser), operation: 'updateMember', tag: 'companies' },
    handle: async (context) => {
      const { id, company_id, user_id } = await membership(context);
      return saveMember(context, company_id, { id, user_id });
    },
  },
  {
    method: 'GET',
    path: '/company/{companyId}/user/{userId}.{suffix}',
    summary: 'Get the membership of one user in a company',
    authentication: 'required',
    shape: { ...getShape(CompanyUser), operation: 'getMember', tag: 'companies' },
    handle: async (context) => conditionalReply(context, CompanyUser, await membership(context)),
  },
  {
    method: 'DELETE',
    path: '/company/{companyId}/user/{userId}',
    summary: 'Remove a user from a company',
    suffixOptional: true,
    authentication: 'required',
    shape: {
      operation: 'deleteMember',
      tag: 'companies',
      right: { resource: 'CompanyUser', verbs: ['delete'] },
      responses: { 204: { description: 'The membership is removed.' } },
      preconditions: ['If-Match'],
      dryRun: true,
    },
    handle: async (context) => {
      const { core, actor, request } = context;
      const { id } = await membership(context);
      const { version } = readPreconditions(request);
      return context.inTransaction(async (tables) => {
        await core.records(CompanyUser).deleteIn(tables, actor, id, { version });
        return {};
      });
    },
  },
];

/**
 * @param pathFields the fields of the membership that the path gives besides the company; the body may only repeat
 *   them.
 */
async function saveMember(context: RouteContext, company_id: number, pathFields: { id?: number; user_id?: number }) {
  const { core, actor, request, body } = context;
  const input = recordToSave(CompanyUser, body);
  for (const [name, value] of Object.entries({ ...pathFields, company_id }))
    if (input[name] !== undefined && input[name] !== value)
      throw badRequest(`The body says ${name} ${input[name]}, the address says ${value}; they must be the same.`);
  const { version, createOnly } = readPreconditions(request);
  const fields = unchecked<CompanyUserInput>({ ...input, ...pathFields, company_id });
  return context.inTransaction(async (tables) => {
    const saved = await core.records(CompanyUser).saveIn(tables, actor, fields, { version, createOnly });
    const path = `/company/${company_id}/user/${saved.user_id}.json`;
    return savedReply(context, CompanyUser, tables, saved, { created: saved.created, path });
  });
}

/** @throws HorariumError `not_found` for a company that the caller may not see. */
async function companyOf(context: RouteContext): Promise<number> {
  return (await context.core.records(Company).get(context.actor, context.id('companyId'))).id;
}

async function membership(context: RouteContext): Promise<CompanyUserRow> {
  const user_id = context.id('userId');
  const filters = { company_id: await companyOf(context), user_id };
  const [row] = (await context.core.records(CompanyUser).list(context.actor, { filters, limit: 1 })).rows;
  if (!row) throw notFound(`membership of User ${user_id} in Company`, filters.company_id);
  return row;
}
