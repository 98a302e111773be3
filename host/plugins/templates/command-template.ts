import type { PluginTemplate } from './plugin-template.ts';
import { servedTest } from './served-test.ts';

/** A command that prints a list. */
export const commandTemplate: PluginTemplate = {
  summary: (name) => `Adds the command horarium ${name}, which shows the share of Tasks that were fulfilled in time.`,

  plugin: (name) => `import { count, defineCommand, definePlugin } from '@horarium/core/plugin';

/** \`horarium ${name} --days 30\`: the share of Tasks that each template fulfilled in time, by day. */
const command = defineCommand({
  // One word, or two as in app:export.
  name: '${name}',
  summary: 'Show which share of their Tasks templates fulfilled in time.',
  // \`arguments\` describes those without a flag, in their order. Both are checked before \`run\` is called.
  options: { days: count(7, { description: 'how many days back' }).min(1).max(366) },
  // \`core\` has the records, as core.records(App).list(actor), and the use cases of the service: core.jobs, core.tasks ….
  // Its type PluginCore lists them. They return only what the actor may see, and refuse what the actor may not do.
  // \`actor\` is the operator of the machine, or the user that --as names.
  async run({ core, actor, options: { days }, output }) {
    const now = core.clock.now();
    const rows = await core.taskSummary(actor, { from: now - (days - 1) * 86_400_000, to: now });
    // A record or a list, in the format that --format names; output.write takes text as it is.
    await output.print(
      rows.map(({ day, runtemplate_id, owed, on_time_rate }) => ({ day, runtemplate_id, owed, on_time_rate })),
    );
    const late = rows.filter(({ on_time_rate }) => on_time_rate !== null && on_time_rate < 1);
    // A sentence on the error output, which scripts that read the list do not meet.
    if (late.length > 0) await output.note(\`\${late.length} of \${rows.length} were not on time.\`);
    // A mistake of the user is told by an error: throw new HorariumError('bad_request', 'There is no …').
  },
});

export default definePlugin({ name: '${name}', api: 1, commands: [command] });
`,

  test: () =>
    servedTest(`test('prints a row for each day and template, and notes nothing when all were on time', async () => {
  await using core = await coreWithTask();
  const [command] = plugin.commands;
  const [printed, notes] = [[], []];
  const output = { print: async (rows) => printed.push(...rows), note: async (sentence) => notes.push(sentence) };
  await command.run({ core, actor: core.actor('test'), options: { days: 7 }, output });
  assert.deepEqual(printed.map(({ on_time_rate }) => on_time_rate), [1]);
  assert.deepEqual(notes, []);
});
`),

  use: (name) => [
    `HORARIUM_PLUGINS=built-in,./${name} npx horarium ${name} --days 3`,
    `HORARIUM_PLUGINS=built-in,./${name} npx horarium ${name} --help`,
  ],
};
