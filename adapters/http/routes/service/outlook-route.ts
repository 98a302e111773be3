import { parseId, type Route, shownOutlook } from '@horarium/core';
import { idSchema, objectOf } from '../../openapi/json-schemas.ts';
import { itemReply } from '../../reply/item-reply.ts';

/** The route of the strip of a page: how the last day went by quarters of an hour, what comes, and what starts next. */
export const outlookRoute: Route = {
  method: 'GET',
  path: '/outlook.{suffix}',
  summary: 'Tell how the last day went and what comes',
  hidden: true,
  authentication: 'required',
  shape: {
    operation: 'getOutlook',
    tag: 'service',
    right: { resource: 'Task', verbs: ['read'] },
    parameters: { company_id: { description: 'Only that of this company.', schema: idSchema } },
    responses: {
      200: {
        description: 'What ended and what comes, by slot.',
        body: { schema: objectOf({}), example: {} },
      },
    },
  },
  handle: async ({ core, actor, query }) => {
    const company = query.get('company_id');
    return itemReply(
      'outlook',
      shownOutlook(await core.outlook(actor, company === undefined ? null : parseId('company_id', company))),
    );
  },
};
