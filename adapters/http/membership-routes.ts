import { CompanyUser, notFound, type Saved } from '@horarium/core';
import type { AnyRow } from './http-core.ts';
import { recordBody, recordSample, savedReplies } from './openapi/record-shapes.ts';
import { readPreconditions } from './preconditions.ts';
import { badRequest } from './problems.ts';
import { recordToSave } from './record-input.ts';
import { itemReply, listRoute, savedReply } from './resource-routes.ts';
import type { Exchange, Route } from './routes.ts';

/** Who belongs to a company, and as what. */
export const membershipRoutes: readonly Route[] = [
  listRoute(
    CompanyUser,
    {},
    {
      path: '/company/{companyId}/users.{suffix}',
      purpose: 'List the users of a company with their roles there, newest first',
      operation: 'listMembers',
      chapter: 'companies',
      scope: async (exchange) => ({ company_id: await companyOf(exchange) }),
    },
  ),
  {
    method: 'POST',
    path: '/company/{companyId}/user/',
    purpose: 'Assign a user to a company, or change the role there',
    authentication: 'required',
    shape: {
      operation: 'saveMember',
      chapter: 'companies',
      right: { resource: 'CompanyUser', verbs: ['create', 'update'] },
      takes: recordBody(CompanyUser),
      gives: savedReplies(CompanyUser),
      preconditions: ['If-Match', 'If-None-Match'],
    },
    answer: async (exchange) => {
      const { core, actor, request, body } = exchange;
      const company_id = await companyOf(exchange);
      const input = recordToSave(CompanyUser, body);
      if (input['company_id'] !== undefined && input['company_id'] !== company_id)
        throw badRequest(`The body names company ${input['company_id']}, the address ${company_id}.`);
      const { version, createOnly } = readPreconditions(request);
      const records = core.records(CompanyUser.name);
      return exchange.changing<Saved<AnyRow>>(
        (around) => records.save(actor, { ...input, company_id }, { version, createOnly }, around),
        (tables, saved) => {
          const path = `/company/${company_id}/user/${saved.row.user_id}.json`;
          return savedReply(exchange, CompanyUser, tables, saved, path);
        },
      );
    },
  },
  {
    method: 'GET',
    path: '/company/{companyId}/user/{userId}.{suffix}',
    purpose: 'Get the membership of one user in a company',
    authentication: 'required',
    shape: {
      operation: 'getMember',
      chapter: 'companies',
      right: { resource: 'CompanyUser', verbs: ['read'] },
      gives: { 200: { note: 'The membership.', body: recordSample(CompanyUser), headers: ['ETag'] } },
    },
    answer: async (exchange) => itemReply(exchange.core, CompanyUser, await membership(exchange)),
  },
  {
    method: 'DELETE',
    path: '/company/{companyId}/user/{userId}',
    purpose: 'Remove a user from a company',
    suffixTaken: true,
    authentication: 'required',
    shape: {
      operation: 'deleteMember',
      chapter: 'companies',
      right: { resource: 'CompanyUser', verbs: ['remove'] },
      gives: { 204: { note: 'It is removed.' } },
      preconditions: ['If-Match'],
    },
    answer: async (exchange) => {
      const { core, actor, request } = exchange;
      const { id } = await membership(exchange);
      await core.records(CompanyUser.name).remove(actor, id, { version: readPreconditions(request).version });
      return {};
    },
  },
];

/** @throws HorariumError `not_found` for a company that the caller may not see. */
async function companyOf({ core, actor, id }: Exchange): Promise<number> {
  return (await core.records('Company').get(actor, id('companyId'))).id;
}

async function membership(exchange: Exchange): Promise<AnyRow> {
  const user_id = exchange.id('userId');
  const filters = { company_id: await companyOf(exchange), user_id };
  const [row] = (await exchange.core.records(CompanyUser.name).list(exchange.actor, { filters, limit: 1 })).rows;
  if (!row) throw notFound(`membership of User ${user_id} in Company`, filters.company_id);
  return row;
}
