import { endPendingJobs, isBlocked, pendingJobs, unblockOldest } from '../job/pending-jobs.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import { describePause } from '../pause/pause.ts';
import { type DueRowsQuery, readInTurns } from '../queue/due-rows.ts';
import type { Change, Tables } from '../store/store.ts';
import { Task, type TaskRow } from '../task/task.ts';
import { expiryChanges } from '../task/task-outcome.ts';
import { lockTemplatesOf } from '../template/schedule.ts';
import { catchUpPaused, type PausedTask, pausesOfTasks } from './paused-tasks.ts';

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
 * Ends open Tasks whose start deadline has passed, as `missed` or `failed`, and skips their pending jobs; those whose start
 * deadline has passed in a pause are `cancelled`, or caught up after it. Leaves out Tasks of templates that another
 * transaction has locked. Companies take turns.
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
  const pauses = await pausesOfTasks(tables, tasks);
  const blockedTasks = new Set(jobs.filter(isBlocked).map((job) => job.task_id));
  const caughtUp: PausedTask[] = [];
  const ended: Change<TaskRow>[] = [];
  const endOfJobs = new Map<number | null, string | null>();
  for (const [index, task] of tasks.entries()) {
    const pause = pauses[index];
    if (pause && pause.catch_up !== 'none' && task.attempts === 0) {
      caughtUp.push({ task, pause });
      continue;
    }
    const paused = pause ? describePause(pause) : null;
    const set = expiryChanges(task, { wasBlocked: blockedTasks.has(task.id), paused }, now);
    ended.push({ row: task, set });
    endOfJobs.set(task.id, set.state === 'cancelled' ? paused : null);
  }
  await tables.of(Task).update(ended);
  const ofEnded = jobs.filter((job) => endOfJobs.has(job.task_id));
  for (const [paused, some] of Map.groupBy(ofEnded, (job) => endOfJobs.get(job.task_id))) {
    await yieldToEventLoop();
    if (paused) await endPendingJobs(tables, some, 'cancelled', paused);
    else await endPendingJobs(tables, some, 'skipped', 'its start deadline has passed');
  }
  await catchUpPaused(tables, caughtUp, jobs);
  await unblockOldest(
    tables,
    tasks.map((task) => task.runtemplate_id),
  );
  return { done: tasks.length, more, last };
}
