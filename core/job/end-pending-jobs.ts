import type { Tables } from '../store/store.ts';
import { transition } from '../task/transition.ts';
import { Job, type JobRow } from './job.ts';
import { jobTransitions } from './job-states.ts';

/** Ends jobs that have not started: their Task has ended, or the obligation was lifted. */
export async function endPendingJobs(
  tables: Tables,
  jobs: readonly JobRow[],
  state: 'cancelled' | 'skipped',
  reason: (job: JobRow) => string,
): Promise<void> {
  if (jobs.length === 0) return;
  const now = await tables.now();
  await tables.of(Job).update(
    jobs.map((job) => ({
      row: job,
      set: {
        state: transition(jobTransitions, job.state, state),
        reason: reason(job),
        finished_at: now,
        queue_at: null,
      },
    })),
  );
}

/** The jobs of these Tasks that have not started. */
export async function pendingJobs(tables: Tables, taskIds: readonly number[]): Promise<JobRow[]> {
  if (taskIds.length === 0) return [];
  return tables.of(Job).find({
    where: [
      ['task_id', 'in', taskIds],
      ['state', '=', 'scheduled'],
    ],
  });
}
