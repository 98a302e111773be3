import { trustedActor } from '@horarium/core';
import { Schedule } from '#core/template/schedule';
import { benchCore, NoopExecutor } from '../harness/bench-core.ts';
import { openDatabase } from '../harness/databases.ts';
import { quantile, timed } from '../harness/rounds.ts';
import { insertLedger } from '../harness/task-ledger.ts';
import { addTemplates, ceilToSecond } from '../harness/templates-due.ts';
import type { Report } from '../results.ts';

export const name = 'summary with 10,000 templates and 10,000,000 Tasks';
const templates = 10_000;
const windows = 1000;
const calls = 50;
const hour = 3_600_000;
const year = 365 * 24 * hour;

/** Measures a summary of the last 24 hours, in which 240,000 Tasks have ended, of two of its hours, and of the metrics. */
export async function run(report: Report): Promise<void> {
  for (const database of ['SQLite FULL', 'PostgreSQL'] as const) {
    await using opened = await openDatabase(database);
    const ids = await addTemplates(opened.store, {
      count: templates,
      executor: 'noop',
      at: ceilToSecond(Date.now() + year / 2),
    });
    const until = Math.floor(Date.now() / hour) * hour;
    await insertLedger(opened, { firstTemplate: ids[0] as number, templates, windows, until });
    await opened.store.transaction((tables) =>
      tables.of(Schedule).updateWhere([], { duration_mean: 60_000, duration_deviation: 1000 }),
    );
    const core = benchCore(opened.store, new NoopExecutor(), 8);
    await core.start();
    const actor = trustedActor('bench');
    const day = { from: until - 24 * hour };
    const measure = async (label: string, work: () => Promise<unknown>, max?: number) => {
      const times: number[] = [];
      for (let call = 0; call < calls; call++) times.push(await timed(work));
      report.figure(
        `${database}, ${label}, median`,
        quantile(times, 0.5),
        'ms',
        max === undefined ? undefined : { max },
      );
      report.figure('   p99', quantile(times, 0.99), 'ms');
    };
    await measure('the last 24 hours (240,000 Tasks)', () => core.summary(actor, day), 50);
    await measure('the last two hours', () => core.summary(actor, { from: until - 2 * hour }), 50);
    await measure('a range of a week ago', () =>
      core.summary(actor, { from: until - 8 * 24 * hour, to: until - 7 * 24 * hour }),
    );
    await core.stop(0);
  }
}
