import pg from 'pg';
import { AuditedStore } from '#core/audit/audited-store';
import { Scheduler } from '#core/scheduler/scheduler';
import { testSigner } from '../../support/secrets/test-hmac.ts';
import { benchCore, NoopExecutor } from '../harness/bench-core.ts';
import { type BenchDatabase, databases, openDatabase } from '../harness/databases.ts';
import { interleaved, timed } from '../harness/rounds.ts';
import { addTemplates, ceilToSecond } from '../harness/templates-due.ts';
import type { Report } from '../results.ts';

export const name = 'active RunTemplates';
const smallCount = 1000;
const largeCount = 100_000;
const ticks = 200;
const tenMonths = 300 * 86_400_000;

/** Measures what templates that are not due cost at the start of the service and at every tick of the scheduler. */
export async function run(report: Report): Promise<void> {
  for (const database of databases) {
    await using small = await openDatabase(database);
    await using large = await openDatabase(database);
    const at = ceilToSecond(Date.now() + tenMonths);
    await addTemplates(small.store, { count: smallCount, executor: 'noop', at });
    await addTemplates(large.store, { count: largeCount, executor: 'noop', at });
    const tickOf = { small: tickDuration(small.store), large: tickDuration(large.store) };
    if (large.url.startsWith('postgres')) {
      const withoutStatistics = await interleaved(5, tickOf);
      await Promise.all([small, large].map(analyzeTables));
      report.figure(
        `${database}, a tick with nothing due, 100,000, before PostgreSQL has statistics`,
        withoutStatistics.large,
        'µs',
      );
      report.figure('   100,000 vs. 1,000', withoutStatistics.large / withoutStatistics.small, '×');
    }
    const start = async () => {
      const core = benchCore(large.store, new NoopExecutor(), 8);
      const elapsed = await timed(async () => {
        await core.start();
        await new Scheduler({ store: core.store, poll: 1000 }).tick();
      });
      await core.stop(0);
      return elapsed;
    };
    const medians = await interleaved(5, { ...tickOf, start });
    report.figure(`${database}, from start to the first tick with 100,000`, medians.start, 'ms', { max: 1500 });
    report.figure(`${database}, a tick with nothing due, 1,000`, medians.small, 'µs');
    report.figure(`${database}, a tick with nothing due, 100,000`, medians.large, 'µs');
    report.figure('   100,000 vs. 1,000', medians.large / medians.small, '×', { max: 1.5 });
  }
}

/** Analyzes the tables, as autovacuum does within a minute of so many new rows. */
async function analyzeTables({ url }: BenchDatabase): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('analyze');
  await client.end();
}

/** Returns a workload that measures the mean duration of a tick, in microseconds. */
function tickDuration(store: ConstructorParameters<typeof AuditedStore>[0]): () => Promise<number> {
  const scheduler = new Scheduler({ store: new AuditedStore(store, testSigner), poll: 1000 });
  return async () => {
    const elapsed = await timed(async () => {
      for (let index = 0; index < ticks; index++) await scheduler.tick();
    });
    return (elapsed * 1000) / ticks;
  };
}
