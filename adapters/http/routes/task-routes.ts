import {
  badRequest,
  maxPreviewed,
  parseId,
  type QueryParameters,
  type Reply,
  type Route,
  type RouteContext,
  type RouteShape,
  RunTemplate,
  readTimeBound,
  readWholeNumber,
  shownWindow,
  Task,
  taskStates,
} from '@horarium/core';
import { columnsOf, countSchema, idSchema, objectOf, timeSchema } from '../openapi/json-schemas.ts';
import { timeBoundShape } from '../openapi/record-shapes.ts';
import { readFlag } from '../request/query.ts';

const startBounds = {
  from: timeBoundShape('Windows that start then or later'),
  to: timeBoundShape('Windows that start then or earlier'),
};

const previewShape: RouteShape = {
  operation: 'previewRunTemplate',
  tag: RunTemplate.names.plural,
  right: { resource: 'RunTemplate', verbs: ['read'] },
  parameters: {
    ...startBounds,
    clock_changes: {
      description: 'Instead: the windows about each change of the clock in the year after from.',
      schema: { type: 'boolean', default: false },
    },
    limit: {
      description: 'The maximum number of windows to return.',
      schema: { type: 'integer', minimum: 1, maximum: maxPreviewed, default: 100 },
    },
  },
  responses: {
    200: {
      description: 'The windows, oldest first.',
      body: {
        schema: {
          type: 'array',
          items: objectOf({
            window_start: timeSchema,
            window_end: timeSchema,
            due_at: {
              type: ['string', 'null'],
              format: 'date-time',
              description: 'When its first job is due; null = it is not owed and gets no Task.',
            },
            deadline: { type: ['string', 'null'], format: 'date-time' },
            note: {
              type: ['string', 'null'],
              description: 'Why it is not owed, from where its calendar moved it, or that the clock changes in it.',
            },
          }),
        },
        example: [
          {
            window_start: '2026-11-20T23:00:00.000Z',
            window_end: '2026-11-21T23:00:00.000Z',
            due_at: '2026-11-20T23:30:00.000Z',
            deadline: '2026-11-21T05:00:00.000Z',
            note: null,
          },
        ],
      },
    },
  },
};

const states = <T>(value: (state: string) => T) => Object.fromEntries(taskStates.map((state) => [state, value(state)]));

const summaryShape: RouteShape = {
  operation: 'summarizeTasks',
  tag: Task.names.plural,
  right: { resource: 'Task', verbs: ['read'] },
  parameters: {
    ...startBounds,
    runtemplate_id: { description: 'Only those of this run template.', schema: idSchema },
    company_id: { description: 'Only those of this company.', schema: idSchema },
  },
  responses: {
    200: {
      description: 'One entry for each run template and day, the newest day first.',
      body: {
        schema: {
          type: 'array',
          items: objectOf({
            day: { type: 'string', format: 'date', description: 'Of the service’s time zone.' },
            runtemplate_id: idSchema,
            company_id: idSchema,
            ...states(() => countSchema),
            owed: { ...countSchema, description: 'Tasks in every state but cancelled.' },
            on_time_rate: {
              type: ['number', 'null'],
              minimum: 0,
              maximum: 1,
              description: 'The share of ended Tasks that were fulfilled in time.',
            },
          }),
        },
        example: [
          {
            day: '2026-11-20',
            runtemplate_id: 1,
            company_id: 1,
            ...states((state) => (state === 'fulfilled' ? 23 : state === 'fulfilled_late' ? 1 : 0)),
            owed: 24,
            on_time_rate: 23 / 24,
          },
        ],
      },
    },
  },
};

/** Routes that preview the windows of a run template and summarize its Tasks; their replies are not records. */
export const taskRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/runtemplate/{runTemplateId}/preview.{suffix}',
    summary: 'List the coming windows of a run template, from now on or between two times',
    authentication: 'required',
    shape: previewShape,
    handle: preview,
  },
  {
    method: 'GET',
    path: '/tasks/summary.{suffix}',
    summary: 'Count tasks by state for each run template and day, with the rate of those fulfilled in time',
    authentication: 'required',
    shape: summaryShape,
    handle: summary,
  },
];

async function preview(context: RouteContext): Promise<Reply> {
  const { core, actor, query } = context;
  const limit = readWholeNumber(query, 'limit') ?? 100;
  if (limit < 1 || limit > maxPreviewed) throw badRequest(`limit must be a whole number from 1 to ${maxPreviewed}.`);
  const from = timeBound(query, 'from', core.timezone) ?? core.clock.now();
  const to = timeBound(query, 'to', core.timezone) ?? null;
  const id = context.id('runTemplateId');
  const isOfClock = readFlag(query, 'clock_changes', false);
  if (isOfClock && (to !== null || query.get('limit') !== undefined))
    throw badRequest('clock_changes lists the windows of one year: it does not go with to and limit.');
  const windows = isOfClock
    ? await core.previewClockChanges(actor, id, from)
    : await core.preview(actor, id, { from, to, limit });
  const value = windows.map(shownWindow);
  return listReply(value, 'window', 'windows', previewShape);
}

async function summary({ core, actor, query }: RouteContext): Promise<Reply> {
  const to = timeBound(query, 'to', core.timezone) ?? core.clock.now();
  const from = timeBound(query, 'from', core.timezone) ?? null;
  const filters = Object.fromEntries(
    ['runtemplate_id', 'company_id'].flatMap((name) => {
      const value = query.get(name);
      return value === undefined ? [] : [[name, parseId(name, value)]];
    }),
  );
  const rows = await core.taskSummary(actor, { from, to, filters });
  return listReply(rows, 'summary', 'summaries', summaryShape);
}

function listReply(value: readonly object[], name: string, plural: string, { responses }: RouteShape): Reply {
  return { value, shape: { kind: 'list', name, plural, fields: null, summaryFields: columnsOf(responses[200]?.body) } };
}

function timeBound(query: QueryParameters, name: 'from' | 'to', timezone: string): number | undefined {
  const value = query.get(name);
  return value === undefined ? undefined : readTimeBound(name, value, timezone);
}
