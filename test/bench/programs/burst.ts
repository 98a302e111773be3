import type { Attempt, AttemptHandle, AttemptReport, Executor, Milliseconds } from '@horarium/core';
import { nativeExecutor } from '../../support/executors/native-executor.ts';
import { bareSpawn } from '../harness/bare-spawn.ts';
import { benchCore, type CountingExecutor, NoopExecutor } from '../harness/bench-core.ts';
import { type BenchDatabase, databases, openDatabase } from '../harness/databases.ts';
import { interleaved } from '../harness/rounds.ts';
import { addTemplates, ceilToSecond, waitUntilTasksEnded } from '../harness/templates-due.ts';
import type { Report } from '../results.ts';

export const name = '1,000 RunTemplates due at one instant';
const count = 1000;
const rounds = 5;
/** How long before the instant the templates are created. */
const lead: Milliseconds = 1500;

/** Measures how long after the instant the last job starts, on a worker with capacity for all of them. */
export async function run(report: Report): Promise<void> {
  for (const database of databases) {
    await using opened = await openDatabase(database);
    const medians = await interleaved(rounds, {
      inProcess: () => burst(opened, new NoopExecutor()),
      native: async () => {
        const native = new CountingWrapper(nativeExecutor());
        const elapsed = await burst(opened, native);
        await native.close();
        return elapsed;
      },
      bare: bareBurst,
    });
    report.figure(`${database}, last job started, in-process`, medians.inProcess, 'ms', { max: 1000 });
    report.figure(`${database}, last job started, native`, medians.native, 'ms');
    report.figure('   baseline: the last of 1,000 bare spawns', medians.bare, 'ms');
    report.figure('   native vs. bare', medians.native / medians.bare, '×');
  }
}

/** Returns how long after the instant the last job started. */
async function burst({ store }: BenchDatabase, executor: CountingExecutor): Promise<Milliseconds> {
  const core = benchCore(store, executor, count);
  await core.start();
  const at = ceilToSecond(Date.now() + lead);
  await addTemplates(store, { count, executor: executor.name, at });
  const due = performance.now() + (at - Date.now());
  while (executor.started < count) await new Promise((resolve) => setTimeout(resolve, 5));
  await waitUntilTasksEnded(store);
  await core.stop(0);
  return executor.lastStartedAt - due;
}

/** Counts the jobs that another executor starts. A job counts once its program runs, not when it is requested. */
class CountingWrapper implements CountingExecutor {
  readonly name: string;
  readonly options: Executor['options'];
  started = 0;
  lastStartedAt = 0;
  readonly #executor: Executor;

  constructor(executor: Executor) {
    this.#executor = executor;
    this.name = executor.name;
    this.options = executor.options;
  }

  start(attempt: Attempt, report: AttemptReport): AttemptHandle {
    const started = (details: { readonly pid: number | null }) => {
      this.started += 1;
      this.lastStartedAt = performance.now();
      report.started(details);
    };
    return this.#executor.start(attempt, { started, output: (stream, bytes) => report.output(stream, bytes) });
  }

  keepAlive(duration: Milliseconds): void {
    this.#executor.keepAlive?.(duration);
  }

  async close(): Promise<void> {
    await this.#executor.close?.();
  }
}

/** Returns how long it takes until the last of as many processes has started, without a service. */
async function bareBurst(): Promise<Milliseconds> {
  const start = performance.now();
  const starts = await Promise.all(Array.from({ length: count }, () => bareSpawn('true')));
  return Math.max(...starts) - start;
}
