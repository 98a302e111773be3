import {
  type AnyResource,
  type BodyShape,
  badRequest,
  type HttpRequest,
  isReport,
  Job,
  type JobChange,
  type JobRow,
  type JsonSchema,
  type Reply,
  type ReplyShape,
  type Route,
  type RouteContext,
  type RouteShape,
  readCancellation,
  readClaim,
  readReport,
  recordInput,
  reportFields,
  type Tables,
  unchecked,
} from '@horarium/core';
import { idSchema, objectOf } from '../openapi/json-schemas.ts';
import { inputSchema, itemProperties } from '../openapi/record-schemas.ts';
import { recordSample, savedReplies } from '../openapi/record-shapes.ts';
import { HttpProblem } from '../reply/problems.ts';
import { readPreconditions } from '../request/preconditions.ts';
import { readFlag } from '../request/query.ts';
import { withoutId } from '../request/record-input.ts';
import { queryId, savedReply } from './resource-routes.ts';

const tag = Job.names.plural;

/** Describes a body with some fields of a job, as its record describes them, and further ones. */
function jobBody(names: readonly string[], more: Readonly<Record<string, JsonSchema>>, example: object): BodyShape {
  const columns = Job.columns.filter(({ name }) => names.includes(name));
  const columnSchemas = Object.fromEntries(
    columns.map((column) => [column.name, inputSchema({ ...column, required: true })]),
  );
  return { schema: { ...objectOf({ ...columnSchemas, ...more }), required: [] }, example };
}

const time = { type: 'string', anyOf: [{ const: 'now' }, { format: 'date-time' }], description: 'A time, or now.' };
const state = {
  type: 'string',
  enum: ['running', 'cancelled'],
  description:
    'running claims a due job of an external executor, and stands alone; cancelled cancels a pending or running job, ' +
    'for the given reason.',
};
const report = Object.fromEntries(reportFields.map((field) => [field.name, inputSchema(field)]));
const changes = { scheduled_at: time, state, ...report };

/** Describes the reply with the changed job; the response to a claim also has the URL for its heartbeats. */
function changedJob(job: AnyResource): ReplyShape {
  const { schema, example } = recordSample(job);
  const ping_url: JsonSchema = {
    type: 'string',
    format: 'uri',
    description: 'The URL for the heartbeats of this attempt. It holds a key, and is shown only once.',
  };
  const claimed = objectOf({ ...itemProperties(job), ping_url });
  const body = { schema: { anyOf: [schema, { ...claimed, description: 'The response to a claim.' }] }, example };
  return { description: 'The job was changed; the whole record.', body, headers: ['ETag'] };
}

const scheduleShape = (job: AnyResource): RouteShape => ({
  operation: 'saveJob',
  tag,
  right: { resource: 'Job', verbs: ['create', 'update'] },
  parameters: { jobId: { description: 'The job to change.', schema: idSchema } },
  requestBody: jobBody(
    ['runtemplate_id', 'task_id', 'executor', 'environment'],
    { id: { ...idSchema, description: 'The job to change.' }, ...changes },
    { runtemplate_id: 1, scheduled_at: 'now', environment: { DATABASE: 'shop_archive' } },
  ),
  responses: { ...savedReplies(job), 200: changedJob(job) },
  preconditions: ['If-Match', 'If-None-Match'],
  dryRun: true,
});

const changeShape = (job: AnyResource): RouteShape => ({
  operation: 'updateJob',
  tag,
  right: { resource: 'Job', verbs: ['update'] },
  requestBody: jobBody(['executor', 'environment'], changes, { state: 'cancelled', reason: 'no longer wanted' }),
  responses: { 200: changedJob(job) },
  preconditions: ['If-Match'],
  dryRun: true,
});

/**
 * Routes of jobs beyond their records: jobs are scheduled ad hoc, changed, claimed, reported and cancelled.
 * @param job the resource, with the computed fields that responses have.
 */
export const jobRoutes = (job: AnyResource): readonly Route[] => [
  {
    method: 'POST',
    path: '/job/',
    summary: 'Schedule a job ad hoc, or change, claim, report or cancel one',
    authentication: 'required',
    shape: scheduleShape(job),
    handle: async (context) => {
      const input = recordInput(Job, context.body, reportFields);
      return saveJob(context, input, queryId(context, 'jobId') ?? (input['id'] as number | undefined));
    },
  },
  {
    method: 'POST',
    path: '/job/{jobId}.{suffix}',
    summary: 'Change, claim, report or cancel a job',
    authentication: 'required',
    shape: changeShape(job),
    handle: async (context) => saveJob(context, recordInput(Job, context.body, reportFields), context.id('jobId')),
  },
];

async function saveJob(context: RouteContext, fields: Record<string, unknown>, id: number | undefined): Promise<Reply> {
  const input = withoutId(fields, id);
  const version = expectedVersion(context.request, id);
  if (id === undefined) return scheduleJob(context, input);
  if (input['state'] === 'running') return claimJob(context, id, input, { version });
  if (input['state'] === 'cancelled') return cancelJob(context, id, input, { version });
  if (isReport(input)) return reportJob(context, id, input, { version });
  return changeJob(context, id, input, { version });
}

/** @throws HttpProblem 412 where a new job should exist already, or an existing one should be new. */
function expectedVersion(request: HttpRequest, id: number | undefined): number | undefined {
  const { version, createOnly, mustExist } = readPreconditions(request);
  if (id === undefined && (mustExist || version !== undefined))
    throw new HttpProblem('precondition_failed', 'If-Match is for jobs that exist; this would be a new one.');
  if (id !== undefined && createOnly)
    throw new HttpProblem('precondition_failed', `If-None-Match: * is for new jobs, not for Job ${id}.`);
  return version;
}

type Input = Readonly<Record<string, unknown>>;

function scheduleJob(context: RouteContext, input: Input): Promise<Reply> {
  const { core, actor } = context;
  return context.inTransaction(async (tables) => {
    const row = await core.jobs.scheduleIn(tables, actor, unchecked(input));
    return savedReply(context, Job, tables, row, { created: true });
  });
}

function changeJob(context: RouteContext, id: number, input: Input, change: JobChange): Promise<Reply> {
  const { core, actor } = context;
  return context.inTransaction(async (tables) =>
    changedReply(context, tables, await core.jobs.changeIn(tables, actor, id, unchecked(input), change)),
  );
}

function cancelJob(context: RouteContext, id: number, input: Input, change: JobChange): Promise<Reply> {
  const { core, actor } = context;
  const reason = readCancellation(input);
  return context.inTransaction(
    async (tables) => changedReply(context, tables, await core.jobs.cancelIn(tables, actor, id, reason, change)),
    { beyondQuota: true },
  );
}

async function reportJob(context: RouteContext, id: number, input: Input, change: JobChange): Promise<Reply> {
  const { core, actor } = context;
  const report = await readReport(input);
  return context.inTransaction(
    async (tables) =>
      changedReply(context, tables, await core.externalJobs.reportIn(tables, actor, id, report, change)),
    { beyondQuota: true },
  );
}

/**
 * Claims a job of an external executor. The reply holds the URL of its heartbeats, whose key is shown only once, so the
 * URL is not part of the stored response.
 */
async function claimJob(context: RouteContext, id: number, input: Input, change: JobChange): Promise<Reply> {
  const { core, actor, query } = context;
  if (readFlag(query, 'dry_run', false))
    throw badRequest('A claim cannot be a dry run, because it may stop other jobs.');
  readClaim(input);
  let ping_url = '';
  const reply = await core.externalJobs.claimWith(
    (claim) =>
      context.inTransaction(
        async (tables) => {
          const { job, pingUrl } = await claim(tables);
          ping_url = pingUrl;
          return changedReply(context, tables, job);
        },
        { beyondQuota: true },
      ),
    actor,
    id,
    change,
  );
  return { ...reply, value: { ...(reply.value as object), ping_url } };
}

function changedReply(context: RouteContext, tables: Tables, row: JobRow): Promise<Reply> {
  return savedReply(context, Job, tables, row, { created: false });
}
