import {
  conditionMeanings,
  conditionNames,
  type ExplainedKind,
  explainedKinds,
  Job,
  nullable,
  type Route,
  RunTemplate,
  readTimezone,
  shownExplanation,
  Task,
} from '@horarium/core';
import {
  changesSchema,
  countSchema,
  described,
  idSchema,
  objectOf,
  textSchema,
  timeSchema,
} from '../../openapi/json-schemas.ts';
import { timezoneShape } from '../../openapi/record-shapes.ts';
import { itemReply } from '../../reply/item-reply.ts';

const names = conditionNames.map((name) => `${name}: ${conditionMeanings[name]}.`).join(' ');

const condition = objectOf({
  name: { enum: [...conditionNames], description: names },
  met: { type: 'boolean' },
  text: described(textSchema, 'How things stand, as a clause without a full stop.'),
  auditlog_id: described(nullable(idSchema), 'The entry of the audit log since which it is not met.'),
});

const change = objectOf({
  auditlog_id: idSchema,
  at: timeSchema,
  actor: textSchema,
  channel: textSchema,
  action: { enum: ['create', 'update', 'delete'] },
  entity_type: textSchema,
  entity_id: idSchema,
  name: described(nullable(textSchema), 'What people call the record.'),
  changes: changesSchema,
  undone_by: {
    ...objectOf({ auditlog_id: idSchema, at: timeSchema, actor: textSchema }),
    type: ['object', 'null'],
    description: 'The later change that gave the record its former values again; null = none has.',
  },
});

const difference = objectOf({
  what: described(textSchema, 'Such as host, app_version, environment.DATABASE or duration.'),
  before: nullable(textSchema),
  after: nullable(textSchema),
});

const sinceSuccess = objectOf({
  job_id: described(nullable(idSchema), 'The last job that succeeded; null = none is known.'),
  fulfilled_before: described(
    nullable(countSchema),
    'How many Tasks right before it were fulfilled in time, one after the other: at most 1000. Null = there is none before.',
  ),
  since: described(timeSchema, 'When that job started, or the run template was created.'),
  changes: { type: 'array', items: change, description: 'What was saved since, the newest first.' },
  further: described(countSchema, 'How many older changes there are.'),
  hidden: described(countSchema, 'How many changes the caller may not read.'),
  archived_before: described(
    nullable(timeSchema),
    'Changes before that time have left the database for the archive of the audit log; null = none has.',
  ),
  differences: { type: 'array', items: difference, description: 'In what the run differs from that job.' },
});

const schema = objectOf({
  kind: { enum: [...explainedKinds] },
  id: idSchema,
  runtemplate_id: idSchema,
  company_id: idSchema,
  time: timeSchema,
  timezone: textSchema,
  sentence: described(textSchema, 'The answer in a sentence.'),
  conditions: { type: 'array', items: condition, description: 'In the order in which they must be met.' },
  since_success: {
    ...sinceSuccess,
    type: ['object', 'null'],
    description: 'What has changed since the last success; null unless it failed, was missed or is late.',
  },
});

const example = {
  kind: 'RunTemplate',
  id: 1,
  runtemplate_id: 1,
  company_id: 1,
  time: '2026-11-21T07:00:00.000Z',
  timezone: 'Europe/Prague',
  sentence:
    'Nightly backup (Acme Inc.) does not run: the run template is not active, by alice at 07:45 (http, entry 8050); its last Task, 4711, failed at 00:31: exit code 2',
  conditions: [
    {
      name: 'active',
      met: false,
      text: 'the run template is not active, by alice at 07:45 (http, entry 8050)',
      auditlog_id: 8050,
    },
    { name: 'app_enabled', met: true, text: 'the App Backup is enabled', auditlog_id: null },
  ],
  since_success: {
    job_id: 4690,
    fulfilled_before: 41,
    since: '2026-11-19T23:30:00.000Z',
    changes: [
      {
        auditlog_id: 8042,
        at: '2026-11-20T14:05:00.000Z',
        actor: 'alice',
        channel: 'http',
        action: 'update',
        entity_type: 'RunTemplate',
        entity_id: 1,
        name: 'Nightly backup',
        changes: { environment: [{ DATABASE: 'shop' }, { DATABASE: 'shpo' }] },
        undone_by: null,
      },
    ],
    further: 0,
    hidden: 0,
    archived_before: null,
    differences: [{ what: 'environment.DATABASE', before: 'shop', after: 'shpo' }],
  },
};

const route = (kind: ExplainedKind, { names }: Pick<typeof Task, 'names'>): Route => ({
  method: 'GET',
  path: `/${names.singular}/{${names.id}}/why.{suffix}`,
  summary: `Tell why a ${names.singular} runs or not, and what has changed since the last success`,
  authentication: 'required',
  shape: {
    operation: `explain${kind}`,
    tag: names.plural,
    right: { resource: kind, verbs: ['read'] },
    parameters: { timezone: timezoneShape('the times in its sentences') },
    responses: { 200: { description: 'The answer, the conditions and what has changed.', body: { schema, example } } },
  },
  handle: async (context) => {
    const { core, actor, query } = context;
    const request = { kind, id: context.id(names.id), ...readTimezone(query) };
    return itemReply('why', shownExplanation(await core.why(actor, request)));
  },
});

/** The routes that tell why a run template, a Task or a job runs or not. */
export const whyRoutes: readonly Route[] = [route('RunTemplate', RunTemplate), route('Task', Task), route('Job', Job)];
