import { queuedJobs } from '../attempt/queued-jobs.ts';
import { Job } from '../job/job.ts';
import type { Milliseconds } from '../loop/clock.ts';
import type { Tables } from '../store/store.ts';
import { runningUnder } from './worker.ts';

/** How long until the next waiting job falls due; Infinity = none waits for its time. */
export async function untilNextJob(tables: Tables, executors: readonly string[]): Promise<Milliseconds> {
  const [[next], now] = await Promise.all([queuedJobs(tables, executors, ['queue_at', '!=', null], 1), tables.now()]);
  return next ? next.queue_at - now : Infinity;
}

export interface StopRequest {
  readonly id: number;
  readonly stop_reason: string | null;
}

/** The jobs of this worker that somebody wants stopped. */
export async function stopRequests(tables: Tables, worker: string): Promise<StopRequest[]> {
  const where = [...runningUnder(worker), ['stop_reason', '!=', null] as const];
  return tables.of(Job).find({ where, columns: ['id', 'stop_reason'] });
}
