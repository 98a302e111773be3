import type { Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import { maxReason } from '../task/task.ts';
import { Job, type JobRow } from './job.ts';

/** Asks the workers of these running jobs to stop them. A job that was asked before keeps its first reason. */
export async function requestStop(
  tables: Tables,
  jobs: readonly Pick<JobRow, 'id' | 'stop_reason'>[],
  reason: string,
): Promise<void> {
  const ids = jobs.filter((job) => job.stop_reason === null).map((job) => job.id);
  const running: Where<JobRow> = [
    ['id', 'in', ids],
    ['state', '=', 'running'],
  ];
  if (ids.length > 0) await tables.of(Job).updateWhere(running, { stop_reason: reason.slice(0, maxReason) });
}

export interface StopRequest {
  readonly id: number;
  readonly stop_reason: string | null;
}

/** Reads the requests to stop jobs that the worker runs. */
export async function stopRequests(tables: Tables, worker: string): Promise<StopRequest[]> {
  const where = [...runningUnder(worker), ['stop_reason', '!=', null] as const];
  return tables.of(Job).find({ where, columns: ['id', 'stop_reason'] });
}

/** Returns the condition for the jobs that the worker runs. */
export function runningUnder(worker: string) {
  return [
    ['state', '=', 'running'],
    ['worker', '=', worker],
  ] as const;
}
