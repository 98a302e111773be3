import { shownTimeline, type TimelineRequest, trustedActor } from '@horarium/core';
import { benchCore, NoopExecutor } from '../harness/bench-core.ts';
import { openDatabase } from '../harness/databases.ts';
import { fillHourlyLedger } from '../harness/hourly-ledger.ts';
import { quantile, timed } from '../harness/rounds.ts';
import type { Report } from '../results.ts';

export const name = 'timeline of 1,000 hourly templates with 1,500,000 Tasks';
const templates = 1000;
const windows = 1500;
const calls = 20;
const hour = 3_600_000;
const day = 24 * hour;

/**
 * Measures timelines of all templates: of the last 30 days with 720,000 Tasks, of 15 days back and 15 ahead, whose windows to
 * come are planned, and of pages of it. The templates have windows of different kinds and deadlines, in a zone whose clock
 * changes. The time is that of the core and of writing JSON.
 */
export async function run(report: Report): Promise<void> {
  for (const database of ['SQLite FULL', 'PostgreSQL'] as const) {
    await using opened = await openDatabase(database);
    const until = Math.floor(Date.now() / hour) * hour;
    await fillHourlyLedger(opened, { templates, windows, until });
    const core = benchCore(opened.store, new NoopExecutor(), 8);
    const actor = trustedActor('bench');
    const measure = async (label: string, request: TimelineRequest, max?: number) => {
      const times: number[] = [];
      let bytes = 0;
      const read = async () => {
        bytes = JSON.stringify(shownTimeline(await core.timeline(actor, request))).length;
      };
      for (let call = 0; call < calls; call++) times.push(await timed(read));
      const target = max === undefined ? undefined : { max };
      report.figure(`${database}, ${label}, median`, quantile(times, 0.5), 'ms', target);
      report.figure('   p99', quantile(times, 0.99), 'ms');
      report.figure('   sent', bytes / 1000, 'kB');
    };
    const month = { from: until - 30 * day, to: until, limit: templates };
    await measure('30 days back (720,000 Tasks)', month, 300);
    await measure('the same as a member of its company', { ...month, company_id: 1 }, 300);
    await measure('15 days back, 15 ahead', { ...month, from: until - 15 * day, to: until + 15 * day }, 300);
    await measure('30 days back, of the month before', { ...month, from: until - 60 * day, to: until - 30 * day });
    await measure('30 days back, failed ones', { ...month, states: ['failed'] });
    await measure('a page of 100, 30 days back', { ...month, limit: 100 });
    await measure('a page of 100, the last day and six hours', { limit: 100 });
    const outlooks: number[] = [];
    for (let call = 0; call < calls; call++) outlooks.push(await timed(() => core.outlook(actor)));
    report.figure(
      `${database}, outlook of all: the last day in quarters of an hour, and what comes, median`,
      quantile(outlooks, 0.5),
      'ms',
      {
        max: 50,
      },
    );
    report.figure('   p99', quantile(outlooks, 0.99), 'ms');
  }
}
