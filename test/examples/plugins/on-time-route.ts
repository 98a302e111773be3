import { definePlugin, type Route } from '@horarium/core/plugin';

const fields = ['day', 'runtemplate_id', 'owed', 'on_time_rate'] as const;

/** The share of Tasks that each template fulfilled in time, by day, of the companies that the caller may see. */
const onTime: Route = {
  method: 'GET',
  path: '/on-time.{suffix}',
  summary: 'Show which share of their Tasks templates fulfilled in time',
  authentication: 'required',
  shape: {
    operation: 'listOnTime',
    tag: 'tasks',
    right: { resource: 'Task', verbs: ['read'] },
    responses: {
      200: {
        description: 'A row for each day and template.',
        body: {
          schema: {
            type: 'array',
            items: {
              type: 'object',
              properties: {
                day: { type: 'string' },
                runtemplate_id: { type: 'integer' },
                owed: { type: 'integer' },
                on_time_rate: { type: ['number', 'null'] },
              },
              required: [...fields],
            },
          },
          example: [{ day: '2026-11-21', runtemplate_id: 1, owed: 24, on_time_rate: 0.9583 }],
        },
      },
    },
  },
  async handle({ core, actor }) {
    const days = await core.taskSummary(actor, { from: null, to: core.clock.now() });
    return {
      value: days.map((day) => Object.fromEntries(fields.map((field) => [field, day[field]]))),
      shape: { kind: 'list', name: 'on-time', fields: null },
    };
  },
};

export default definePlugin({ name: 'on-time-route', api: 1, routes: () => [onTime] });
