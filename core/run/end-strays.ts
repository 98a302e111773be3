import type { Tables } from '../resource/store.ts';
import { Job } from '../schedule/job.ts';
import { finishJobs, lostEnd } from './finish-jobs.ts';
import { runningUnder } from './worker.ts';

/** Ends jobs that the store shows as running here, but that were never started: their claim was committed unnoticed. */
export async function endStrays(
  tables: Tables,
  worker: string,
  live: Pick<ReadonlyMap<number, unknown>, 'has'>,
): Promise<void> {
  const mine = await tables.of(Job).find({ where: runningUnder(worker) });
  const now = await tables.now();
  const strays = mine.filter((job) => !live.has(job.id));
  const ends = strays.map((job) => lostEnd(job, now, 'the worker never started it'));
  if (ends.length > 0) await finishJobs(tables, ends);
}
