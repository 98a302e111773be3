import { AuditedStore, Scheduler } from '@horarium/core';
import pg from 'pg';
import { benchCore, NoopExecutor } from './bench-core.ts';
import { type BenchDatabase, databases, openDatabase } from './databases.ts';
import type { Report } from './report.ts';
import { inTurns, timed } from './rounds.ts';
import { addTemplates, wholeSecond } from './templates-due.ts';

export const name = 'active RunTemplates';
const few = 1000;
const many = 100_000;
const tickers = 200;
const inMonths = 300 * 86_400_000;

/** What templates that are not due cost: when the service begins to work, and at every tick of the scheduler. */
export async function run(report: Report): Promise<void> {
  for (const database of databases) {
    await using small = await openDatabase(database);
    await using large = await openDatabase(database);
    const at = wholeSecond(Date.now() + inMonths);
    await addTemplates(small.store, { count: few, executor: 'noop', at });
    await addTemplates(large.store, { count: many, executor: 'noop', at });
    const beatOf = { small: tick(small.store), large: tick(large.store) };
    if (large.url.startsWith('postgres')) {
      const guessed = await inTurns(5, beatOf);
      await Promise.all([small, large].map(gatherStatistics));
      report.figure(`${database}, a beat with nothing due, 100,000, before there are statistics`, guessed.large, 'µs');
      report.figure('   100,000 beside 1,000', guessed.large / guessed.small, '×');
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
    const seen = await inTurns(5, { ...beatOf, start });
    report.figure(`${database}, from start to the first beat with 100,000`, seen.start, 'ms', { most: 1500 });
    report.figure(`${database}, a beat with nothing due, 1,000`, seen.small, 'µs');
    report.figure(`${database}, a beat with nothing due, 100,000`, seen.large, 'µs');
    report.figure('   100,000 beside 1,000', seen.large / seen.small, '×', { most: 1.5 });
  }
}

/** What PostgreSQL does by itself within a minute of so many new rows; before it, its plans are guesses. */
async function gatherStatistics({ url }: BenchDatabase): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('analyze');
  await client.end();
}

/** The mean of some ticks, in microseconds. */
function tick(store: ConstructorParameters<typeof AuditedStore>[0]): () => Promise<number> {
  const scheduler = new Scheduler({ store: new AuditedStore(store), poll: 1000 });
  return async () => {
    const elapsed = await timed(async () => {
      for (let turn = 0; turn < tickers; turn++) await scheduler.tick();
    });
    return (elapsed * 1000) / tickers;
  };
}
