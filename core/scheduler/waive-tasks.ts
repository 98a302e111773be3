import { endPendingJobs, pendingJobs } from '../job/pending-jobs.ts';
import type { Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import { Task, type TaskRow } from '../task/task.ts';
import { waiverChanges } from '../task/task-outcome.ts';

/**
 * Waives the selected Tasks that have not ended: they are no longer owed. Cancels their pending jobs. The caller has locked
 * the templates; a caller that leaves them active also unblocks their oldest blocked jobs.
 */
export async function waiveTasks(tables: Tables, where: Where<TaskRow>, reason: string): Promise<void> {
  const tasks = await tables.of(Task).find({ where: [...where, ['state', 'in', ['open', 'running']]] });
  if (tasks.length === 0) return;
  const now = await tables.now();
  await tables.of(Task).update(tasks.map((task) => ({ row: task, set: waiverChanges(task, reason, now) })));
  const jobs = await pendingJobs(
    tables,
    tasks.map((task) => task.id),
  );
  await endPendingJobs(tables, jobs, 'cancelled', reason);
}
