import { Job } from '../job/job.ts';
import { jobTransitions } from '../job/job-states.ts';
import type { Tables } from '../store/store.ts';
import { isTaskEnded, Task, taskTransitions } from '../task/task.ts';
import { transition } from '../task/transition.ts';
import type { PreparedAttempt } from './prepare-attempts.ts';

/**
 * Marks claimed jobs and their Tasks as running. A job runs the App that its template refers to now, which need not be
 * the one from when the job was created.
 * @param worker the name of the worker that starts the jobs, or `EXECUTOR:CLIENT` for jobs that a client of the API runs
 */
export async function markRunning(
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
        attempts: task.attempts + 1,
        // A Task that is repeated keeps its state until that has succeeded.
        ...(!isTaskEnded(task.state) && {
          state: transition(taskTransitions, task.state, 'running'),
          start_deadline: null,
        }),
      },
    })),
  );
}
