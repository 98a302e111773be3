import { type JsonSchema, type RouteShape, RunTemplate, Task, taskStates } from '@horarium/core';
import { edgeShape } from '../openapi/list-parameters.ts';
import { objectOf } from './route-shape.ts';

const time: JsonSchema = { type: 'string', format: 'date-time' };
const count: JsonSchema = { type: 'integer', minimum: 0 };
const id: JsonSchema = { type: 'integer', minimum: 1 };

export const previewShape: RouteShape = {
  operation: 'previewRunTemplate',
  tag: RunTemplate.names.plural,
  right: { resource: 'RunTemplate', verbs: ['read'] },
  parameters: {
    from: edgeShape('Windows that start then or later'),
    to: edgeShape('Windows that start then or earlier'),
    limit: { description: 'How many at most.', schema: { type: 'integer', minimum: 1, maximum: 1000, default: 100 } },
  },
  responses: {
    200: {
      description: 'The windows, oldest first.',
      body: {
        schema: {
          type: 'array',
          items: objectOf({ window_start: time, window_end: time, due_at: time, deadline: time }),
        },
        example: [
          {
            window_start: '2026-11-20T23:00:00.000Z',
            window_end: '2026-11-21T23:00:00.000Z',
            due_at: '2026-11-20T23:30:00.000Z',
            deadline: '2026-11-21T05:00:00.000Z',
          },
        ],
      },
    },
  },
};

const states = <T>(value: (state: string) => T) => Object.fromEntries(taskStates.map((state) => [state, value(state)]));

export const summaryShape: RouteShape = {
  operation: 'summarizeTasks',
  tag: Task.names.plural,
  right: { resource: 'Task', verbs: ['read'] },
  parameters: {
    from: edgeShape('Windows that start then or later'),
    to: edgeShape('Windows that start then or earlier'),
    runtemplate_id: { description: 'Only those of this run template.', schema: id },
    company_id: { description: 'Only those of this company.', schema: id },
  },
  responses: {
    200: {
      description: 'One entry for each run template and day, the newest day first.',
      body: {
        schema: {
          type: 'array',
          items: objectOf({
            day: { type: 'string', format: 'date', description: 'Of the service’s time zone.' },
            runtemplate_id: id,
            company_id: id,
            ...states(() => count),
            owed: { ...count, description: 'All but the cancelled ones.' },
            on_time_rate: {
              type: ['number', 'null'],
              minimum: 0,
              maximum: 1,
              description: 'Fulfilled in time, of those that have ended.',
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
