import { CompanyUser, maxPageSize, parseId, type Reply, type Route, type RouteContext } from '@horarium/core/plugin';
import { list, object, text } from './schemas.ts';

/** Lists the companies of a user, as far as the caller may see that. */
export const membershipRoute: Route = {
  method: 'GET',
  path: '/console/memberships',
  summary: 'List the companies that a user is a member of, with the roles there',
  hidden: true,
  authentication: 'required',
  shape: {
    operation: 'listMemberships',
    tag: 'console',
    parameters: {
      user_id: {
        description: 'The id of the user.',
        schema: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
        required: true,
      },
    },
    responses: {
      200: {
        description: `The newest ${maxPageSize} that the caller may see.`,
        body: {
          schema: list(object({ company_id: { type: 'integer' }, role: text })),
          example: [{ company_id: 1, role: 'operator' }],
        },
      },
    },
  },
  handle,
};

async function handle({ core, actor, query }: RouteContext): Promise<Reply> {
  const user_id = parseId('user_id', query.get('user_id') ?? '');
  const { rows } = await core.records(CompanyUser).list(actor, { filters: { user_id }, limit: maxPageSize });
  const value = rows.map(({ company_id, role }) => ({ company_id, role }));
  return { value, shape: { kind: 'list', name: 'membership', fields: null } };
}
