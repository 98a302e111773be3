import { Job } from '../job/job.ts';
import { jobTransitions } from '../job/job-states.ts';
import type { Tables } from '../store/store.ts';
import { Task, taskTransitions } from '../task/task.ts';
import { transition } from '../task/transition.ts';
import type { PreparedAttempt } from './prepare-attempts.ts';

/**
 * Marks claimed jobs as running under that worker, and their Tasks with them. A job runs the app that its template has
 * by now, which need not be the one that it had when the job was made.
 */
export async function startJobs(
  tables: Tables,
  worker: string,
  prepared: readonly Pick<PreparedAttempt, 'claim' | 'columns'>[],
): Promise<void> {
  if (prepared.length === 0) return;
  const now = await tables.now();
  await tables.of(Job).update(
    prepared.map(({ claim: { job, task, template }, columns }) => ({
      row: job,
      set: {
        ...columns,
        state: transition(jobTransitions, job.state, 'running'),
        app_id: template.app_id,
        attempt: task ? task.attempts + 1 : job.attempt,
        started_at: now,
        queue_at: null,
        worker,
      },
    })),
  );
  const tasks = prepared.flatMap(({ claim: { task } }) => task ?? []);
  await tables.of(Task).update(
    tasks.map((task) => ({
      row: task,
      set: {
        state: transition(taskTransitions, task.state, 'running'),
        attempts: task.attempts + 1,
        last_start: null,
      },
    })),
  );
}
