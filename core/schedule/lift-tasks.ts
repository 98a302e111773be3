import type { Tables, Where } from '../resource/store.ts';
import { endPendingJobs, pendingJobs } from './end-pending-jobs.ts';
import { move } from './moves.ts';
import { Task, type TaskRow } from './task.ts';
import { taskMoves } from './task-states.ts';

/**
 * Lifts the obligation of Tasks that have not ended: open ones are cancelled with the jobs that wait for them; of
 * running ones the attempt may finish and then decides, but no further one follows. The caller holds the
 * templates' locks.
 */
export async function liftTasks(tables: Tables, where: Where, reason: string): Promise<void> {
  const tasks = await tables.of(Task).find({ where: [...where, ['state', 'in', ['open', 'running']]] });
  if (tasks.length === 0) return;
  await tables.of(Task).update(tasks.map((task) => ({ row: task, set: lifted(task, reason) })));
  const jobs = await pendingJobs(
    tables,
    tasks.map((task) => task.id),
  );
  await endPendingJobs(tables, jobs, 'cancelled', () => reason);
}

function lifted(task: TaskRow, reason: string): Partial<TaskRow> {
  if (task.state === 'running') return { lifted: reason };
  return { state: move(taskMoves, task.state, 'cancelled'), reason, last_start: null };
}
