import { Job, type JobRow } from '../job/job.ts';
import { jobTransitions } from '../job/job-states.ts';
import type { Tables } from '../store/store.ts';
import { Task, taskTransitions } from '../task/task.ts';
import { transition } from '../task/transition.ts';
import type { Claim } from './claim-jobs.ts';

/** What a job shows of how it was started: secrets are masked already. */
export type Shown = Pick<JobRow, 'command' | 'arguments' | 'environment' | 'app_version' | 'ping_key_hash'>;

/**
 * Marks claimed jobs as running under that worker, and their Tasks with them. A job runs the app that its template has
 * by now, which need not be the one that it had when the job was made.
 */
export async function startJobs(
  tables: Tables,
  worker: string,
  claims: readonly (Claim & { readonly shown: Shown })[],
): Promise<void> {
  if (claims.length === 0) return;
  const now = await tables.now();
  await tables.of(Job).update(
    claims.map(({ job, task, template, shown }) => ({
      row: job,
      set: {
        ...shown,
        state: transition(jobTransitions, job.state, 'running'),
        app_id: template.app_id,
        attempt: task ? task.attempts + 1 : job.attempt,
        started_at: now,
        queue_at: null,
        worker,
      },
    })),
  );
  await tables.of(Task).update(
    claims.flatMap(({ task }) =>
      task
        ? [
            {
              row: task,
              set: {
                state: transition(taskTransitions, task.state, 'running'),
                attempts: task.attempts + 1,
                last_start: null,
              },
            },
          ]
        : [],
    ),
  );
}
