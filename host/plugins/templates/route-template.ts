import type { PluginTemplate } from './plugin-template.ts';
import { servedTest } from './served-test.ts';

const camelCase = (name: string) => name.replaceAll(/-([a-z0-9])/g, (_hyphen, letter: string) => letter.toUpperCase());

/** A route that answers a list, in the format that its caller chooses. */
export const routeTemplate: PluginTemplate = {
  summary: (name) => `Answers GET /api/v1/${name}.json with the share of Tasks that were fulfilled in time.`,

  plugin: (name) => `import { definePlugin } from '@horarium/core/plugin';

/**
 * The share of Tasks that each template fulfilled in time, by day, of the companies that the caller may see.
 * @type {import('@horarium/core/plugin').Route}
 */
const route = {
  method: 'GET',
  // Below /api/v1. The caller chooses the format by the suffix: ${name}.json, ${name}.csv, ${name}.html.
  // A parameter such as {runTemplateId} is an id, which context.id('runTemplateId') reads.
  path: '/${name}.{suffix}',
  summary: 'Show which share of their Tasks templates fulfilled in time',
  authentication: 'required',
  // What the route accepts and returns. The OpenAPI document, the page /docs/api and generated clients follow from it.
  shape: {
    // The name of the function in generated clients.
    operation: '${camelCase(name)}',
    // The chapter of the documentation: that of records, such as tasks, or a new word.
    tag: 'tasks',
    // The right that is documented. The handler checks it, by the use cases that it calls for the actor.
    right: { resource: 'Task', verbs: ['read'] },
    // The parameters of the query stand in \`parameters\`, and a body in \`requestBody\`; other parameters are refused.
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
              required: ['day', 'runtemplate_id', 'owed', 'on_time_rate'],
            },
          },
          example: [{ day: '2026-11-21', runtemplate_id: 1, owed: 24, on_time_rate: 0.9583 }],
        },
      },
    },
  },
  // \`core\` has the records, as core.records(App).list(actor), and the use cases of the service: core.jobs, core.tasks ….
  // Its type PluginCore lists them. They return only what the actor may see, and refuse what the actor may not do.
  // A change is made by context.inTransaction(async (tables) => …), so that it is audited.
  async handle({ core, actor }) {
    const days = await core.taskSummary(actor, { from: null, to: core.clock.now() });
    return {
      value: days.map(({ day, runtemplate_id, owed, on_time_rate }) => ({ day, runtemplate_id, owed, on_time_rate })),
      // What formats need beyond the data: whether it is an item or a list, and the name of its elements and headings.
      // \`fields\` describes its columns; null = each value is written as it is.
      shape: { kind: 'list', name: '${name}', fields: null },
    };
  },
};

export default definePlugin({ name: '${name}', api: 1, routes: () => [route] });
`,

  test: () =>
    servedTest(`test('answers a row for each day and template', async () => {
  await using core = await coreWithTask();
  const [route] = plugin.routes();
  const { value } = await route.handle({ core, actor: core.actor('test') });
  assert.equal(value.length, 1);
  assert.equal(value[0].on_time_rate, 1);
  assert.deepEqual(Object.keys(value[0]), route.shape.responses[200].body.schema.items.required);
});
`),

  use: (name) => [`curl -u admin http://127.0.0.1:8080/api/v1/${name}.json`],
};
