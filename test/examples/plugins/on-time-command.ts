import { count, defineCommand, definePlugin } from '@horarium/core/plugin';

/** `horarium on-time --days 30`: the share of Tasks that each template fulfilled in time, by day. */
const onTime = defineCommand({
  name: 'on-time',
  summary: 'Show which share of their Tasks templates fulfilled in time.',
  options: { days: count(7, { description: 'how many days back' }).min(1).max(366) },
  async run({ core, actor, options: { days }, output }) {
    const now = core.clock.now();
    const rows = await core.taskSummary(actor, { from: now - (days - 1) * 86_400_000, to: now });
    await output.print(
      rows.map(({ day, runtemplate_id, owed, on_time_rate }) => ({ day, runtemplate_id, owed, on_time_rate })),
    );
    const late = rows.filter(({ on_time_rate }) => on_time_rate !== null && on_time_rate < 1);
    if (late.length > 0) await output.note(`${late.length} of ${rows.length} were not on time.`);
  },
});

export default definePlugin({ name: 'on-time-command', api: 1, commands: [onTime] });
