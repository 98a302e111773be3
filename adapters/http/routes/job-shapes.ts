import {
  type BodyShape,
  Job,
  type JsonSchema,
  type ReplyShape,
  type RouteShape,
  reportFields,
  type Sample,
} from '@horarium/core';
import { inputSchema } from '../openapi/field-schema.ts';
import { itemColumns, shownProperties } from '../openapi/record-schemas.ts';
import { recordSample, savedReplies } from '../openapi/record-shapes.ts';
import { objectOf } from './route-shape.ts';

const tag = Job.names.plural;

/** What may be said of a job; the fields are described where the record is. */
function jobBody(names: readonly string[], more: Readonly<Record<string, JsonSchema>>, example: object): BodyShape {
  const columns = Job.columns.filter(({ name }) => names.includes(name));
  const fields = Object.fromEntries(columns.map((column) => [column.name, inputSchema({ ...column, required: true })]));
  return { schema: { ...objectOf({ ...fields, ...more }), required: [] }, example };
}

const time = { type: 'string', anyOf: [{ const: 'now' }, { format: 'date-time' }], description: 'A time, or now.' };
const state = {
  type: 'string',
  enum: ['running', 'cancelled'],
  description:
    'running claims a due job of an external executor, and nothing else is said with it; cancelled cancels a job, ' +
    'whether it waits or runs, for the given reason.',
};
const report = Object.fromEntries(reportFields.map((field) => [field.name, inputSchema(field)]));
const changes = { scheduled_at: time, state, ...report };

/** What comes back when a job was changed; to who has claimed it, also where its heartbeats go. */
function changedJob(): ReplyShape {
  const { schema, example } = recordSample(Job);
  const ping_url: JsonSchema = {
    type: 'string',
    format: 'uri',
    description: 'Where the heartbeats of this attempt go. It holds a key, and is told only here.',
  };
  const claimed = objectOf({ ...shownProperties(itemColumns(Job)), ping_url });
  const body = { schema: { anyOf: [schema, { ...claimed, description: 'The answer to a claim.' }] }, example };
  return { description: 'It is changed; the whole record.', body, headers: ['ETag'] };
}

export const scheduleShape: RouteShape = {
  operation: 'saveJob',
  tag,
  right: { resource: 'Job', verbs: ['create', 'update'] },
  parameters: { jobId: { description: 'The job to change.', schema: { type: 'integer', minimum: 1 } } },
  requestBody: jobBody(
    ['runtemplate_id', 'task_id', 'executor', 'environment'],
    { id: { type: 'integer', minimum: 1, description: 'The job to change.' }, ...changes },
    { runtemplate_id: 1, scheduled_at: 'now', environment: { DATABASE: 'shop_archive' } },
  ),
  responses: { ...savedReplies(Job), 200: changedJob() },
  preconditions: ['If-Match', 'If-None-Match'],
};

export const changeShape: RouteShape = {
  operation: 'updateJob',
  tag,
  right: { resource: 'Job', verbs: ['update'] },
  requestBody: jobBody(['executor', 'environment'], changes, { state: 'cancelled', reason: 'no longer wanted' }),
  responses: { 200: changedJob() },
  preconditions: ['If-Match'],
};

const text: JsonSchema = { type: 'string' };
const piece = objectOf({
  seq: { type: 'integer', minimum: 0 },
  stream: { enum: ['stdout', 'stderr'] },
  at: { type: 'string', format: 'date-time' },
  text,
});

const page: Sample = {
  schema: objectOf({
    job_id: { type: 'integer' },
    pieces: { type: 'array', items: piece },
    next: { type: ['integer', 'null'], description: 'What to give as after, to go on.' },
    complete: { type: 'boolean', description: 'Nothing will follow.' },
  }),
  example: {
    job_id: 1,
    pieces: [{ seq: 0, stream: 'stdout', at: '2026-11-20T23:30:01.000Z', text: 'dumping shop\n' }],
    next: 0,
    complete: true,
  },
};

const events: Sample = {
  schema: { ...text, description: 'Server-sent events: output, with a piece as data, and at last end.' },
  example:
    'id: 0\nevent: output\ndata: {"seq":0,"stream":"stdout","at":"2026-11-20T23:30:01.000Z","text":"dumping shop\\n"}\n\nevent: end\ndata: {}\n\n',
};

export const outputShape: RouteShape = {
  operation: 'readJobOutput',
  tag,
  right: { resource: 'Job', verbs: ['read'] },
  parameters: {
    stream: { description: 'One of the two only.', schema: { type: 'string', enum: ['stdout', 'stderr'] } },
    after: { description: 'Only what follows the piece of this number.', schema: { type: 'integer', minimum: 0 } },
    follow: {
      description: 'Stay and send what comes, as server-sent events.',
      schema: { type: 'boolean', default: false },
    },
  },
  responses: { 200: { description: 'What it wrote.', body: page, otherContent: { 'text/event-stream': events } } },
};
