import { benchCore, NoopExecutor } from './bench-core.ts';
import { type BenchDatabase, type DatabaseName, databases, openDatabase } from './databases.ts';
import type { Report } from './report.ts';
import { inTurns } from './rounds.ts';
import { addTemplates, allTasksEnded, justNow } from './templates-due.ts';

export const name = 'in-process no-op jobs';
const jobs = 5000;

/**
 * Jobs a second, from windows that are due to Tasks that are fulfilled: the scheduler makes each Task and its job, the
 * runner claims, starts and completes it, and every change is audited and being sealed meanwhile.
 */
export async function drain({ store }: BenchDatabase, count: number): Promise<number> {
  const executor = new NoopExecutor();
  await addTemplates(store, { count, executor: executor.name, at: justNow() });
  const core = benchCore(store, executor, 1000);
  const start = performance.now();
  await core.start();
  while (executor.started < count) await new Promise((resolve) => setTimeout(resolve, 2));
  await allTasksEnded(store);
  const elapsed = performance.now() - start;
  await core.stop(0);
  if (executor.started !== count) throw new Error(`${executor.started} jobs were run, not ${count}.`);
  return count / (elapsed / 1000);
}

export async function run(report: Report): Promise<void> {
  await using open = new AsyncDisposableStack();
  const works: Partial<Record<DatabaseName, () => Promise<number>>> = {};
  for (const database of databases) {
    const opened = open.use(await openDatabase(database));
    works[database] = () => drain(opened, jobs);
  }
  const rates = await inTurns(5, works as Record<DatabaseName, () => Promise<number>>);
  for (const database of databases) report.figure(`drained on ${database}`, rates[database], 'jobs/s');
}
