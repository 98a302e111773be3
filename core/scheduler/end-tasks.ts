import { endPendingJobs, isBlocked, pendingJobs, unblockOldest } from '../job/pending-jobs.ts';
import { type DueRowsQuery, readInTurns } from '../queue/due-rows.ts';
import type { Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import { Task, type TaskRow } from '../task/task.ts';
import { expiryChanges, waiverChanges } from '../task/task-outcome.ts';
import { lockTemplatesOf } from '../template/schedule.ts';

/** What a tick of the scheduler did about due windows, or about Tasks whose start deadline has passed. */
export interface BatchResult {
  /** The company that was last served. */
  readonly last: number;
  /** How many of the batch it could process; other transactions lock the others. */
  readonly done: number;
  /** Whether more may be due than those of the batch. */
  readonly more: boolean;
}

/**
 * Ends open Tasks whose start deadline has passed, as `missed` or `failed`, and skips their pending jobs. Leaves out Tasks
 * of templates that another transaction has locked. Companies take turns.
 */
export async function expireTasks(
  tables: Tables,
  turn: Pick<DueRowsQuery<TaskRow>, 'limit' | 'share' | 'last'>,
): Promise<BatchResult> {
  const now = await tables.now();
  const until = now - 1;
  const { rows: found, more, last } = await readInTurns(tables, Task, { ...turn, column: 'start_deadline', until });
  const ids = await lockTemplatesOf(tables, found, 'skip');
  if (ids.length === 0) return { done: 0, more, last };
  // An attempt may have started before the lock.
  const tasks = await tables.of(Task).find({
    where: [
      ['id', 'in', ids],
      ['start_deadline', '<=', until],
    ],
  });
  const jobs = await pendingJobs(
    tables,
    tasks.map((task) => task.id),
  );
  const blockedTasks = new Set(jobs.filter(isBlocked).map((job) => job.task_id));
  await tables
    .of(Task)
    .update(tasks.map((task) => ({ row: task, set: expiryChanges(task, blockedTasks.has(task.id), now) })));
  await endPendingJobs(tables, jobs, 'skipped', 'its start deadline has passed');
  await unblockOldest(
    tables,
    tasks.map((task) => task.runtemplate_id),
  );
  return { done: tasks.length, more, last };
}

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
