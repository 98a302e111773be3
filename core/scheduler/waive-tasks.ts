import { endPendingJobs, pendingJobs } from '../job/end-pending-jobs.ts';
import type { Tables, Where } from '../store/store.ts';
import { Task, type TaskRow } from '../task/task.ts';
import { taskTransitions } from '../task/task-states.ts';
import { transition } from '../task/transition.ts';

/**
 * Lifts the obligation of Tasks that have not ended: open ones are cancelled with the jobs that wait for them; of
 * running ones the attempt may finish and then decides, but no further one follows. The caller holds the
 * templates' locks.
 */
export async function waiveTasks(tables: Tables, where: Where, reason: string): Promise<void> {
  const tasks = await tables.of(Task).find({ where: [...where, ['state', 'in', ['open', 'running']]] });
  if (tasks.length === 0) return;
  await tables.of(Task).update(tasks.map((task) => ({ row: task, set: waived(task, reason) })));
  const jobs = await pendingJobs(
    tables,
    tasks.map((task) => task.id),
  );
  await endPendingJobs(tables, jobs, 'cancelled', () => reason);
}

function waived(task: TaskRow, reason: string): Partial<TaskRow> {
  if (task.state === 'running') return { waived: reason };
  return { state: transition(taskTransitions, task.state, 'cancelled'), reason, last_start: null };
}
