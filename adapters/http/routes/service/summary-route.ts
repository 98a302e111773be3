import {
  type JsonSchema,
  maxDays,
  nullable,
  parseId,
  problemKinds,
  problemMeanings,
  type Reply,
  type Route,
  type RouteContext,
  type RouteShape,
  readTimeBound,
  readTimezone,
  shownSummary,
} from '@horarium/core';
import { countSchema, described, idSchema, objectOf, textSchema, timeSchema } from '../../openapi/json-schemas.ts';
import { timeBoundShape, timezoneShape } from '../../openapi/record-shapes.ts';
import { itemReply } from '../../reply/item-reply.ts';

const optional = (schema: JsonSchema, description?: string) => ({
  ...nullable(schema),
  ...(description && { description }),
});

const kinds = problemKinds.map((kind) => `${kind}: ${problemMeanings[kind]}.`).join(' ');

const problem = objectOf({
  kind: { enum: [...problemKinds], description: kinds },
  runtemplate_id: optional(idSchema, 'Null = all of them.'),
  company_id: optional(idSchema),
  count: described(countSchema, 'How many Tasks, or templates; the other fields are those of the newest.'),
  task_id: optional(idSchema),
  job_id: optional(idSchema),
  window_start: optional(timeSchema),
  deadline: optional(timeSchema),
  since: optional(timeSchema, 'Null = it lies ahead.'),
  reason: described(textSchema, 'A clause without a full stop.'),
  recovered_at: optional(
    timeSchema,
    'When the first window after it was fulfilled, in time or late, of those that were since, one after the other up to now; null = none was.',
  ),
  fulfilled_since: described(
    countSchema,
    'How many windows were fulfilled since, one after the other up to now: at most 100.',
  ),
  name: optional(textSchema, 'That of the run template.'),
  company: optional(textSchema, 'Its name.'),
});

const pause = objectOf({
  id: idSchema,
  runtemplate_id: optional(idSchema, 'Null = all of the company.'),
  company_id: optional(idSchema, 'Null = all companies.'),
  starts_at: timeSchema,
  until: optional(timeSchema, 'Null = until a person resumes.'),
  paused_by: textSchema,
  reason: textSchema,
  name: optional(textSchema, 'That of the run template.'),
  company: optional(textSchema, 'Its name.'),
});

const schema = objectOf({
  sentence: described(textSchema, 'All of it in a sentence.'),
  ok: { type: 'boolean', description: 'Whether there is no problem.' },
  time: timeSchema,
  timezone: textSchema,
  from: timeSchema,
  to: timeSchema,
  owed: described(countSchema, 'Tasks that ended in the range but were not cancelled, and overdue ones.'),
  on_time: countSchema,
  late: countSchema,
  failed: countSchema,
  missed: countSchema,
  cancelled: countSchema,
  overdue: described(countSchema, 'Tasks whose deadline has passed, and that can still be fulfilled late.'),
  on_time_rate: { type: ['number', 'null'], minimum: 0, maximum: 1, description: 'on_time of those owed.' },
  will_be_late: described(countSchema, 'Tasks that will be late if their attempts take as long as usual.'),
  will_not_run: described(countSchema, 'Active run templates whose jobs no live worker and no agent can run.'),
  switched_off: described(
    countSchema,
    'Run templates whose windows get no Tasks: inactive ones, and those of a disabled App or company.',
  ),
  paused: described(countSchema, 'Pauses in force.'),
  pauses: { type: 'array', items: pause, description: 'Those that began last, at most 20.' },
  running: described(countSchema, 'Jobs that run.'),
  waiting: described(countSchema, 'Jobs that are due and have not started.'),
  next: {
    ...objectOf({
      at: timeSchema,
      runtemplate_id: idSchema,
      company_id: idSchema,
      name: optional(textSchema),
      company: optional(textSchema),
    }),
    type: ['object', 'null'],
    description: 'The job that starts next.',
  },
  problems: { type: 'array', items: problem, description: 'The worst kind first.' },
  further: described(countSchema, 'Older Tasks that are late, failed, missed or overdue and that no problem counts.'),
});

const example = {
  sentence: 'today 212 of 214 on time, 1 missed, 1 late; 3 running; next 14:05 Nightly backup (Acme Inc.)',
  ok: false,
  time: '2026-11-21T13:00:00.000Z',
  timezone: 'Europe/Prague',
  from: '2026-11-20T23:00:00.000Z',
  to: '2026-11-21T13:00:00.000Z',
  owed: 214,
  on_time: 212,
  late: 1,
  failed: 0,
  missed: 1,
  cancelled: 0,
  overdue: 0,
  on_time_rate: 212 / 214,
  will_be_late: 0,
  will_not_run: 0,
  switched_off: 2,
  paused: 0,
  pauses: [],
  running: 3,
  waiting: 0,
  next: {
    at: '2026-11-21T13:05:00.000Z',
    runtemplate_id: 1,
    company_id: 1,
    name: 'Nightly backup',
    company: 'Acme Inc.',
  },
  problems: [
    {
      kind: 'missed',
      runtemplate_id: 7,
      company_id: 1,
      count: 1,
      task_id: 4711,
      job_id: null,
      window_start: '2026-11-21T05:00:00.000Z',
      deadline: '2026-11-21T06:00:00.000Z',
      since: '2026-11-21T06:00:00.001Z',
      reason: 'no attempt was started by the start deadline, 2026-11-21T06:00:00.000Z',
      recovered_at: '2026-11-21T07:00:04.000Z',
      fulfilled_since: 6,
      name: 'Invoices',
      company: 'Acme Inc.',
    },
  ],
  further: 0,
};

const shape: RouteShape = {
  operation: 'getSummary',
  tag: 'service',
  right: { resource: 'Task', verbs: ['read'] },
  parameters: {
    from: timeBoundShape('Tasks that ended then or later; the start of the day if it is left out'),
    to: timeBoundShape(`Tasks that ended then or earlier, at most ${maxDays} days later`),
    company_id: { description: 'Only those of this company.', schema: idSchema },
    timezone: timezoneShape('the times in its sentences, whose day begins the range where from is left out'),
  },
  responses: { 200: { description: 'What is on time and what is not.', body: { schema, example } } },
};

/** The route that tells whether everything is on time. */
export const summaryRoute: Route = {
  method: 'GET',
  path: '/summary.{suffix}',
  summary: 'Tell whether everything is on time, what is not, and what runs next',
  authentication: 'required',
  shape,
  handle,
};

async function handle({ core, actor, query }: RouteContext): Promise<Reply> {
  const bounds = (['from', 'to'] as const).flatMap((name) => {
    const value = query.get(name);
    return value === undefined ? [] : [[name, readTimeBound(name, value, core.timezone)] as const];
  });
  const company = query.get('company_id');
  const summary = await core.summary(actor, {
    ...Object.fromEntries(bounds),
    ...(company !== undefined && { company_id: parseId('company_id', company) }),
    ...readTimezone(query),
  });
  return itemReply('summary', shownSummary(summary));
}
