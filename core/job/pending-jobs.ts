import type { Tables } from '../store/store.ts';
import { Task } from '../task/task.ts';
import { waiverChanges } from '../task/task-outcome.ts';
import { transition } from '../task/transition.ts';
import { unblockOldest } from './blocked-jobs.ts';
import { Job, type JobRow } from './job.ts';
import { jobTransitions } from './job-states.ts';

/** Reads the jobs of these Tasks that have not started. */
export async function pendingJobs(tables: Tables, taskIds: readonly number[]): Promise<JobRow[]> {
  if (taskIds.length === 0) return [];
  return tables.of(Job).find({
    where: [
      ['task_id', 'in', taskIds],
      ['state', '=', 'scheduled'],
    ],
  });
}

/** Ends jobs that have not started, because their Task has ended or is no longer owed. */
export async function endPendingJobs(
  tables: Tables,
  jobs: readonly JobRow[],
  state: 'cancelled' | 'skipped',
  reason: string,
): Promise<void> {
  if (jobs.length === 0) return;
  const now = await tables.now();
  await tables.of(Job).update(
    jobs.map((job) => ({
      row: job,
      set: {
        state: transition(jobTransitions, job.state, state),
        reason,
        finished_at: now,
        queue_at: null,
      },
    })),
  );
}

/**
 * Cancels a job that has not started, and its Task with it unless another attempt of that Task runs or is pending.
 * The caller has locked the template.
 * @param by `cancelled by NAME`.
 * @param reason why, in the words of the person who cancels; null = `by` is the reason.
 */
export async function cancelPendingJob(tables: Tables, job: JobRow, by: string, reason: string | null): Promise<void> {
  await endPendingJobs(tables, [job], 'cancelled', reason ?? by);
  const taskReason = reason === null ? `job ${job.id} was ${by}` : `job ${job.id} was cancelled: ${reason}`;
  if (job.task_id !== null) await cancelTaskWithoutAttempts(tables, job.task_id, taskReason);
  await unblockOldest(tables, [job.runtemplate_id]);
}

async function cancelTaskWithoutAttempts(tables: Tables, taskId: number, reason: string): Promise<void> {
  const [task] = await tables.of(Task).find({ where: [['id', '=', taskId]] });
  if (task?.state !== 'open' || (await pendingJobs(tables, [taskId])).length > 0) return;
  await tables.of(Task).update([{ row: task, set: waiverChanges(task, reason) }]);
}
