import { benchCore, NoopExecutor } from '../harness/bench-core.ts';
import { type BenchDatabase, type DatabaseName, databases, openDatabase } from '../harness/databases.ts';
import { interleaved } from '../harness/rounds.ts';
import { addTemplates, lastWholeSecond, waitUntilTasksEnded } from '../harness/templates-due.ts';
import type { Report } from '../results.ts';

export const name = 'in-process no-op jobs';
const jobs = 5000;

/**
 * Jobs a second from due windows to fulfilled Tasks: the scheduler creates each Task and its job, the runner claims,
 * starts and completes it, and every change is audited and sealed meanwhile.
 */
export async function drain({ store }: BenchDatabase, count: number): Promise<number> {
  const executor = new NoopExecutor();
  await addTemplates(store, { count, executor: executor.name, at: lastWholeSecond() });
  const core = benchCore(store, executor, 1000);
  const start = performance.now();
  await core.start();
  while (executor.started < count) await new Promise((resolve) => setTimeout(resolve, 2));
  await waitUntilTasksEnded(store);
  const elapsed = performance.now() - start;
  await core.stop(0);
  if (executor.started !== count) throw new Error(`${executor.started} jobs were run, not ${count}.`);
  return count / (elapsed / 1000);
}

export async function run(report: Report): Promise<void> {
  await using resources = new AsyncDisposableStack();
  const workloads: Partial<Record<DatabaseName, () => Promise<number>>> = {};
  for (const database of databases) {
    const opened = resources.use(await openDatabase(database));
    workloads[database] = () => drain(opened, jobs);
  }
  const rates = await interleaved(5, workloads as Record<DatabaseName, () => Promise<number>>);
  for (const database of databases) report.figure(`drained on ${database}`, rates[database], 'jobs/s');
}
