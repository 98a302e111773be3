import { Job, type JobRow } from '../job/job.ts';
import type { Instant } from '../loop/clock.ts';
import type { Term } from '../store/query.ts';
import type { Tables } from '../store/store.ts';

export interface QueuedJob extends Pick<JobRow, 'id' | 'runtemplate_id'> {
  readonly queue_at: Instant;
}

/**
 * Jobs of these executors that wait, those first that are to be looked at first. Each executor is looked up by itself,
 * in the order of an index, so that however many jobs wait for others they cost nothing here.
 */
export async function queuedJobs(
  tables: Tables,
  executors: readonly string[],
  when: Term<JobRow>,
  most: number,
): Promise<QueuedJob[]> {
  const found = await Promise.all(
    executors.map((executor) =>
      tables.of(Job).find({
        where: [['executor', '=', executor], ['state', '=', 'scheduled'], when],
        order: [['queue_at', 'asc']],
        limit: most,
        columns: ['id', 'runtemplate_id', 'queue_at'],
      }),
    ),
  );
  const queued = found.flat().filter((job): job is QueuedJob => job.queue_at !== null);
  return queued.sort((one, other) => one.queue_at - other.queue_at || one.id - other.id).slice(0, most);
}
