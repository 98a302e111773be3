import { type Core, type Milliseconds, trustedActor } from '@horarium/core';
import { benchCore } from '../harness/bench-core.ts';
import { type DatabaseName, openDatabase } from '../harness/databases.ts';
import { quantile } from '../harness/rounds.ts';
import { scheduleWatched, TimedExecutor } from '../harness/timed-executor.ts';
import type { Report } from '../results.ts';

export const name = 'the wait of a quiet company beside a busy one, on eight slots';
const capacity = 8;
const quietJobs = 60;
/** The first jobs are not counted: they wait for code to be compiled and plans to be made. */
const warmUps = 15;
const actor = trustedActor('bench', 'embedded');

/** What the busy company has due before the quiet one begins: how many jobs, and how long each lasts. */
const loads = {
  alone: { count: 0, duration: 0 },
  'flooded with 1,000 jobs of 100 ms': { count: 1000, duration: 100 },
  'beside 40 sleeping jobs': { count: 40, duration: 600_000 },
} as const satisfies Record<string, { readonly count: number; readonly duration: Milliseconds }>;

/** Measures how long jobs of a quiet company wait, from the commit that schedules them to their start, one at a time. */
export async function run(report: Report): Promise<void> {
  for (const database of ['SQLite FULL', 'PostgreSQL'] as const) {
    const alone = await quietWait(database, loads.alone);
    report.figure(`${database}, p95 wait alone`, alone, 'ms');
    for (const [label, load] of Object.entries(loads).slice(1)) {
      const wait = await quietWait(database, load);
      report.figure(`${database}, p95 wait, ${label}`, wait, 'ms', { max: Math.ceil(alone) + 200 });
    }
  }
}

/** Returns the 95th percentile of the waits of the quiet company, in milliseconds. */
async function quietWait(
  database: DatabaseName,
  { count, duration }: { readonly count: number; readonly duration: Milliseconds },
): Promise<number> {
  await using opened = await openDatabase(database);
  const executor = new TimedExecutor();
  const core = benchCore(opened.store, executor, capacity);
  const [busy, quiet] = [await addTemplate(core, 'busy', duration), await addTemplate(core, 'quiet', 0)];
  await core.start();
  for (let job = 0; job < count; job += 1) await core.jobs.schedule(actor, { runtemplate_id: busy });
  const waits: number[] = [];
  for (let job = 0; job < warmUps + quietJobs; job += 1) {
    const { started, scheduledAt } = await scheduleWatched(core, actor, executor, quiet);
    waits.push((await started) - scheduledAt);
  }
  await core.stop(0);
  return quantile(waits.slice(warmUps), 0.95);
}

/** Adds a company with one template, and returns the id of that. */
async function addTemplate(core: Core, code: string, duration: Milliseconds): Promise<number> {
  const { id: app_id } = await core.apps.save(actor, {
    name: code,
    executable: 'timed',
    arguments: [String(duration)],
  });
  const { id: company_id } = await core.companies.save(actor, { code, name: code });
  const fields = { name: code, app_id, company_id, interval: 'none', overlap: 'allow', executor: 'timed' } as const;
  return (await core.runTemplates.save(actor, fields)).id;
}
