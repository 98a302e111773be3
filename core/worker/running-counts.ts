import { Job } from '../job/job.ts';
import type { Tables } from '../store/store.ts';

/** Counts the jobs that each of these workers runs, by the name of the worker; one that runs none is left out. */
export async function countRunning(tables: Tables, workers: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (workers.length === 0) return new Map();
  const counts = await tables.of(Job).countBy(
    ['worker'],
    [
      ['state', '=', 'running'],
      ['worker', 'in', workers],
    ],
  );
  return new Map(counts.map(({ values: [worker], count }) => [worker ?? '', count]));
}
