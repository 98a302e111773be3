import type { Tables } from '../store/store.ts';
import { Task, taskTransitions } from '../task/task.ts';
import { transition } from '../task/transition.ts';
import { unblockNext } from './blocked-jobs.ts';
import { endPendingJobs, pendingJobs } from './end-pending-jobs.ts';
import type { JobRow } from './job.ts';

/**
 * Cancels a job that has not started, and its Task with it unless another attempt of that Task runs or waits.
 * The caller holds the template's lock.
 * @param why in the words of whoever cancels it; null = they say nothing.
 */
export async function cancelPendingJob(tables: Tables, job: JobRow, by: string, why: string | null): Promise<void> {
  await endPendingJobs(tables, [job], 'cancelled', () => why ?? by);
  const reason = why === null ? `job ${job.id} was ${by}` : `job ${job.id} was cancelled: ${why}`;
  if (job.task_id !== null) await cancelUnattended(tables, job.task_id, reason);
  await unblockNext(tables, [job.runtemplate_id]);
}

async function cancelUnattended(tables: Tables, taskId: number, reason: string): Promise<void> {
  const [task] = await tables.of(Task).find({ where: [['id', '=', taskId]] });
  if (task?.state !== 'open' || (await pendingJobs(tables, [taskId])).length > 0) return;
  const set = {
    state: transition(taskTransitions, task.state, 'cancelled'),
    reason: reason.slice(0, 1000),
    last_start: null,
  };
  await tables.of(Task).update([{ row: task, set }]);
}
