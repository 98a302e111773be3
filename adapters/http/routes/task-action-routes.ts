import {
  type AnyResource,
  type BodyShape,
  backfillFields,
  type FieldDescription,
  Job,
  leftOutWarning,
  type Route,
  RunTemplate,
  readBackfill,
  recordInput,
  Task,
  type TaskRow,
  unchecked,
  waiverFields,
} from '@horarium/core';
import { objectOf } from '../openapi/json-schemas.ts';
import { inputSchema } from '../openapi/record-schemas.ts';
import { recordSample, recordsSample } from '../openapi/record-shapes.ts';
import { recordsReply, savedReply } from './resource-routes.ts';

/** Describes a body with these fields. */
function bodyOf(fields: readonly FieldDescription[], example: object): BodyShape {
  const schema = objectOf(Object.fromEntries(fields.map((field) => [field.name, inputSchema(field)])));
  const required = fields.filter((field) => field.required).map(({ name }) => name);
  return { schema: { ...schema, required }, example };
}

/**
 * What people do with obligations: waive one, and backfill windows that were not owed. A Task is repeated by `POST /job/`.
 * @param task the resource, with the computed fields that responses have.
 */
export const taskActionRoutes = (task: AnyResource): readonly Route[] => [
  {
    method: 'POST',
    path: '/task/{taskId}/waive.{suffix}',
    summary: 'Waive a Task that has not ended: it is cancelled, and its pending jobs with it',
    authentication: 'required',
    shape: {
      operation: 'waiveTask',
      tag: Task.names.plural,
      right: { resource: Job.name, verbs: ['create'] },
      requestBody: bodyOf(waiverFields, { reason: 'the shop is closed today' }),
      responses: {
        200: {
          description: 'The Task is cancelled, or still running: then its running attempt decides. The whole record.',
          body: recordSample(task),
          headers: ['ETag'],
        },
      },
      dryRun: true,
    },
    handle: async (context) => {
      const { core, actor } = context;
      const fields = recordInput(Task, context.body);
      return context.inTransaction(async (tables) => {
        const [row] = await core.waiveTasksIn(tables, actor, [context.id('taskId')], unchecked(fields));
        return savedReply(context, task, tables, row as TaskRow, { created: false });
      });
    },
  },
  {
    method: 'POST',
    path: '/runtemplate/{runTemplateId}/backfill.{suffix}',
    summary: 'Create the Tasks of windows that have passed and were not owed, such as those before the first one',
    authentication: 'required',
    shape: {
      operation: 'backfillRunTemplate',
      tag: RunTemplate.names.plural,
      right: { resource: Job.name, verbs: ['create'] },
      requestBody: bodyOf(backfillFields, { from: '2026-11-01', to: '2026-11-07' }),
      responses: { 200: { description: 'The new Tasks, the oldest window first.', body: recordsSample(task) } },
      dryRun: true,
    },
    handle: async (context) => {
      const { core, actor } = context;
      const range = readBackfill(recordInput(RunTemplate, context.body, backfillFields), core.timezone);
      return context.inTransaction(async (tables) => {
        const id = context.id('runTemplateId');
        const { tasks, leftOut } = await core.backfillIn(tables, actor, id, range);
        if (leftOut > 0) tables.warn(leftOutWarning(leftOut));
        const writtenRecord = { resource: RunTemplate.name, row: { id }, created: false };
        return { ...(await recordsReply(context, task, tables, tasks)), writtenRecord };
      });
    },
  },
];
