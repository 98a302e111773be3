import type { Milliseconds } from '../loop/clock.ts';
import type { Tables } from '../resource/store.ts';
import { Job } from '../schedule/job.ts';
import { runningUnder } from './worker.ts';

/** How long until the next waiting job falls due; Infinity = none waits for its time. */
export async function untilNextJob(tables: Tables, executors: readonly string[]): Promise<Milliseconds> {
  const [next] = await tables.of(Job).find({
    where: [
      ['state', '=', 'scheduled'],
      ['queue_at', '!=', null],
      ['executor', 'in', executors],
    ],
    order: [['queue_at', 'asc']],
    limit: 1,
    columns: ['queue_at'],
  });
  return next?.queue_at == null ? Infinity : next.queue_at - (await tables.now());
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
