import { Job } from '../job/job.ts';
import type { Tables, Term } from '../store/store.ts';

export interface QueuedJob {
  readonly id: number;
  readonly runtemplate_id: number;
  readonly queue_at: number;
}

/**
 * Jobs of these executors that wait, those first that are to be looked at first. Each executor is looked up by itself,
 * in the order of an index, so that however many jobs wait for others they cost nothing here.
 */
export async function queuedJobs(
  tables: Tables,
  executors: readonly string[],
  when: Term,
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
  const queued = found.flat() as unknown as QueuedJob[];
  return queued.sort((one, other) => one.queue_at - other.queue_at || one.id - other.id).slice(0, most);
}
