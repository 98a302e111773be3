import { Job } from '../job/job.ts';
import type { Tables } from '../store/store.ts';
import { runningUnder } from '../worker/worker.ts';
import { finishJobs, lostResult } from './finish-jobs.ts';

/** Ends jobs that the store shows as running here, but that were never started: their claim was committed unnoticed. */
export async function endOrphanedClaims(
  tables: Tables,
  worker: string,
  live: Pick<ReadonlyMap<number, unknown>, 'has'>,
): Promise<void> {
  const mine = await tables.of(Job).find({ where: runningUnder(worker) });
  const now = await tables.now();
  const strays = mine.filter((job) => !live.has(job.id));
  const ends = strays.map((job) => lostResult(job, now, 'the worker never started it'));
  if (ends.length > 0) await finishJobs(tables, ends);
}
