import {
  nullable,
  outlookSlot,
  outlookStates,
  parseId,
  type Route,
  type RouteShape,
  readTimezone,
  shownOutlook,
  slotsAhead,
  slotsBehind,
} from '@horarium/core';
import { countSchema, described, idSchema, objectOf, textSchema, timeSchema } from '../../openapi/json-schemas.ts';
import { timezoneShape } from '../../openapi/record-shapes.ts';
import { itemReply } from '../../reply/item-reply.ts';

const slots = slotsBehind + slotsAhead;
const eachSlot = { type: 'array', items: countSchema, minItems: slots, maxItems: slots };

const nextRun = objectOf({
  at: timeSchema,
  runtemplate_id: idSchema,
  company_id: idSchema,
  name: described(nullable(textSchema), 'That of the run template.'),
  company: described(nullable(textSchema), 'Its name.'),
  deadline: described(nullable(timeSchema), 'Null = it is not for a Task.'),
  usual_duration: described(
    nullable(countSchema),
    'How many milliseconds a successful attempt usually takes; null = none has succeeded.',
  ),
});

const schema = objectOf({
  time: timeSchema,
  from: described(timeSchema, 'When the first slot begins.'),
  slot: described(countSchema, 'The length of a slot in milliseconds.'),
  slots: countSchema,
  counts: {
    type: 'object',
    properties: Object.fromEntries(outlookStates.map((state) => [state, eachSlot])),
    additionalProperties: false,
    description:
      'The number in each slot by state: Tasks by when they ended, runs to come by when they start. What has none is missing.',
  },
  rest_of_day: {
    ...objectOf({
      count: described(countSchema, 'How many runs are to start that no pause or maintenance holds.'),
      deadline: described(nullable(timeSchema), 'The last one of the windows among them; null = there is none.'),
    }),
    description: 'What is left of the day in the zone of the service.',
  },
  next: { type: 'array', items: nextRun, description: 'The first run of each template that starts next, at most 100.' },
  complete: { type: 'boolean', description: 'Whether all windows to come are counted.' },
});

const example = {
  time: '2026-11-21T13:10:00.000Z',
  from: '2026-11-20T13:15:00.000Z',
  slot: outlookSlot,
  slots,
  counts: { fulfilled: Array.from({ length: slots }, (_, slot) => (slot < slotsBehind ? 2 : 0)) },
  rest_of_day: { count: 20, deadline: '2026-11-21T22:45:00.000Z' },
  next: [
    {
      at: '2026-11-21T14:00:00.000Z',
      runtemplate_id: 7,
      company_id: 1,
      name: 'Invoices',
      company: 'Acme Inc.',
      deadline: '2026-11-21T14:45:00.000Z',
      usual_duration: 300_000,
    },
  ],
  complete: true,
};

const shape: RouteShape = {
  operation: 'getOutlook',
  tag: 'service',
  right: { resource: 'Task', verbs: ['read'] },
  parameters: {
    company_id: { description: 'Only that of this company.', schema: idSchema },
    timezone: timezoneShape('the day that rest_of_day ends with'),
  },
  responses: { 200: { description: 'What ended and what comes, by slot.', body: { schema, example } } },
};

/** The route of the strip of a page: how the last day went by quarters of an hour, what comes, and what starts next. */
export const outlookRoute: Route = {
  method: 'GET',
  path: '/outlook.{suffix}',
  summary: 'Tell how the last day went and what comes',
  hidden: true,
  authentication: 'required',
  shape,
  handle: async ({ core, actor, query }) => {
    const company = query.get('company_id');
    const request = {
      ...(company !== undefined && { company_id: parseId('company_id', company) }),
      ...readTimezone(query),
    };
    return itemReply('outlook', shownOutlook(await core.outlook(actor, request)));
  },
};
