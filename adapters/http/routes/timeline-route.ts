import {
  type JsonSchema,
  jobStates,
  maxDays,
  maxFilterValues,
  maxSlots,
  maxTimelineRows,
  nullable,
  offReasons,
  parseId,
  parseIds,
  type QueryParameters,
  type Reply,
  type Route,
  type RouteContext,
  type RouteShape,
  readTimeBound,
  readTimezone,
  readWholeNumber,
  shownTimeline,
  Task,
  type TimelineRequest,
  type TimelineState,
  taskStates,
  timelineStates,
} from '@horarium/core';
import { countSchema, described, idSchema, objectOf, textSchema, timeSchema } from '../openapi/json-schemas.ts';
import { timeBoundShape, timezoneShape } from '../openapi/record-shapes.ts';
import { itemReply } from '../reply/item-reply.ts';

const whole: JsonSchema = {
  type: 'integer',
  minimum: -Number.MAX_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
};
const after = described(whole, 'Milliseconds after from.');
const listOf = (items: JsonSchema, description?: string): JsonSchema => ({
  type: 'array',
  items,
  ...(description && { description }),
});
const tupleOf = (items: readonly JsonSchema[], description: string): JsonSchema => ({
  type: 'array',
  prefixItems: items,
  minItems: items.length,
  maxItems: items.length,
  description,
});
const optional = (schema: JsonSchema, description: string): JsonSchema => described(nullable(schema), description);

const attempt = tupleOf(
  [idSchema, after, nullable(after), countSchema],
  'The id of the job, when it started, when it ended (null = it has not), and its state: the number of it in job_states.',
);

const tasks: JsonSchema = {
  ...objectOf({
    id: listOf(idSchema),
    start: listOf(after),
    end: listOf(after),
    deadline: listOf(after),
    state: listOf(countSchema, 'The number of the state in states.'),
    attempts: listOf(listOf(attempt), 'Those that have started, of each Task.'),
  }),
  type: ['object', 'null'],
  description: 'The Tasks one by one, oldest first: each list has a member for each. Null = they are counted.',
};

const toCome: JsonSchema = {
  ...objectOf({
    start: listOf(after),
    end: listOf(after),
    due: listOf(after),
    deadline: listOf(after),
    held: listOf({ enum: [0, 1] }, '1 = a pause or maintenance holds its job when it is due.'),
  }),
  type: ['object', 'null'],
  description: 'The windows that have no Task yet, in the same way. Null = they are counted.',
};

const eachSlot = listOf(countSchema, 'The number in each slot.');
const someSlots = listOf(tupleOf([countSchema, countSchema], 'A slot, and the number in it.'));
const counts: JsonSchema = {
  type: ['object', 'null'],
  properties: {
    fulfilled: eachSlot,
    ...Object.fromEntries(timelineStates.map((state) => [state, someSlots])),
    to_come: described(eachSlot, 'Windows that have no Task yet, but for those that are held.'),
    held: described(eachSlot, 'Windows that have no Task yet and whose job a pause or maintenance will hold.'),
  },
  additionalProperties: false,
  description:
    'The Tasks by the starts of their windows and their state, and the windows to come, by slot; what has none is missing. Null = they are listed.',
};

const row = objectOf({
  id: idSchema,
  code: nullable(textSchema),
  name: textSchema,
  company_id: idSchema,
  company: described(textSchema, 'Its name.'),
  app_id: idSchema,
  app: optional(textSchema, 'Its name; null = the caller may not see Apps.'),
  off: optional({ enum: [...offReasons, null] }, 'Why it gets no Tasks from now on; null = it does.'),
  usual_duration: optional(countSchema, 'How many milliseconds a successful attempt usually takes.'),
  tasks,
  to_come: toCome,
  counts,
  complete_until: optional(after, 'Until when the windows to come are complete; null = all are there.'),
});

const hold = objectOf({
  kind: { enum: ['pause', 'maintenance'] },
  id: described(idSchema, 'That of the pause or of the maintenance window.'),
  runtemplate_id: optional(idSchema, 'Null = all of the company.'),
  company_id: optional(idSchema, 'Null = all companies.'),
  from: after,
  to: optional(whole, 'Null = until a person resumes.'),
  by: optional(textSchema, 'Who paused; null = the maintenance window will.'),
  reason: textSchema,
});

const schema = objectOf({
  time: timeSchema,
  from: timeSchema,
  to: timeSchema,
  timezone: textSchema,
  clock: listOf(
    objectOf({ at: after, offset: described(whole, 'Local time minus UTC in milliseconds.') }),
    'The offset of the zone at the start, and each change of it.',
  ),
  slots: countSchema,
  slot: described(countSchema, 'The length of a slot in milliseconds; the last one may reach beyond to.'),
  states: listOf(textSchema),
  job_states: listOf(textSchema),
  holds: listOf(hold, 'The spans in which no job starts, of the templates of this page.'),
  templates: listOf(row, 'By company, App and name.'),
  next: optional(idSchema, 'What after is for the next page; null = this is the last one.'),
});

const hour = 3_600_000;
const example = {
  time: '2026-11-21T13:10:00.000Z',
  from: '2026-11-21T11:00:00.000Z',
  to: '2026-11-21T15:00:00.000Z',
  timezone: 'Europe/Prague',
  clock: [{ at: 0, offset: hour }],
  slots: 200,
  slot: 72_000,
  states: [...taskStates],
  job_states: [...jobStates],
  holds: [],
  templates: [
    {
      id: 7,
      code: 'invoices',
      name: 'Invoices',
      company_id: 1,
      company: 'Acme Inc.',
      app_id: 2,
      app: 'ERP',
      off: null,
      usual_duration: 300_000,
      tasks: {
        id: [4711],
        start: [0],
        end: [2 * hour],
        deadline: [2 * hour],
        state: [taskStates.indexOf('fulfilled')],
        attempts: [[[9001, 1000, 301_000, jobStates.indexOf('succeeded')]]],
      },
      to_come: { start: [2 * hour], end: [4 * hour], due: [2 * hour], deadline: [4 * hour], held: [0] },
      counts: null,
      complete_until: null,
    },
  ],
  next: null,
};

const shape: RouteShape = {
  operation: 'getTimeline',
  tag: Task.names.plural,
  right: { resource: 'Task', verbs: ['read'] },
  parameters: {
    from: timeBoundShape(
      'Windows that start then or later, and those in which it lies; 24 hours ago if it is left out',
    ),
    to: timeBoundShape(`Windows that start before then, at most ${maxDays} days later; in six hours if it is left out`),
    company_id: { description: 'Only run templates of this company.', schema: idSchema },
    app_id: { description: 'Only run templates of this App.', schema: idSchema },
    runtemplate_id: { description: 'Only these run templates: ids with commas between them.', schema: textSchema },
    name: { description: 'Only run templates whose name or code has this text in it.', schema: textSchema },
    state: {
      description: `Only run templates with a Task in one of these states: ${timelineStates.join(', ')}, with commas between them.`,
      schema: textSchema,
    },
    timezone: timezoneShape('the clock changes that are listed'),
    slots: {
      description: 'How many columns of time can be shown: what has more Tasks than half of them is counted.',
      schema: { type: 'integer', minimum: 1, maximum: maxSlots, default: 200 },
    },
    limit: {
      description: 'The maximum number of run templates; a page may end earlier.',
      schema: { type: 'integer', minimum: 1, maximum: maxTimelineRows, default: 100 },
    },
    after: { description: 'The value of next of the page before.', schema: idSchema },
  },
  responses: { 200: { description: 'A page of the timeline.', body: { schema, example } } },
};

/** The route that tells when what ran and what comes. */
export const timelineRoute: Route = {
  method: 'GET',
  path: '/tasks/timeline.{suffix}',
  summary: 'Tell for each run template when what ran, and which windows come',
  authentication: 'required',
  shape,
  handle,
};

async function handle({ core, actor, query }: RouteContext): Promise<Reply> {
  const timeline = await core.timeline(actor, readRequest(query, core.timezone));
  // The counts of a month of 1,000 templates are 2 MB of small numbers, and a fiftieth of it when compressed.
  return { ...itemReply('timeline', shownTimeline(timeline)), compressible: true };
}

function readRequest(query: QueryParameters, timezone: string): TimelineRequest {
  const given = <T>(name: string, field: string, read: (text: string) => T) => {
    const text = query.get(name);
    return text === undefined ? {} : { [field]: read(text) };
  };
  const id = (name: string) => given(name, name, (text) => parseId(name, text));
  const whole = (name: string) => given(name, name, () => readWholeNumber(query, name));
  return {
    ...given('from', 'from', (text) => readTimeBound('from', text, timezone)),
    ...given('to', 'to', (text) => readTimeBound('to', text, timezone)),
    ...id('company_id'),
    ...id('app_id'),
    ...given('runtemplate_id', 'templateIds', (text) => parseIds('runtemplate_id', text, maxFilterValues)),
    ...given('name', 'name', (text) => text),
    ...given('state', 'states', (text) => text.split(',') as TimelineState[]),
    ...readTimezone(query),
    ...whole('slots'),
    ...whole('limit'),
    ...id('after'),
  };
}
