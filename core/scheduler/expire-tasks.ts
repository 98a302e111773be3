import { unblockNext } from '../job/blocked-jobs.ts';
import { endPendingJobs, pendingJobs } from '../job/end-pending-jobs.ts';
import type { JobRow } from '../job/job.ts';
import type { Tables, Where } from '../store/store.ts';
import { Task, type TaskRow } from '../task/task.ts';
import { taskTransitions } from '../task/task-states.ts';
import { transition } from '../task/transition.ts';
import { lockTemplates } from '../template/lock-templates.ts';
import { formatInstant } from '../time/instant.ts';

/**
 * Ends open Tasks whose last moment to start has passed: missed when nothing was ever started, failed otherwise.
 * Their jobs that still wait are skipped.
 * @returns how many were looked at; fewer than `most` means that none is left.
 */
export async function expireTasks(tables: Tables, most: number): Promise<number> {
  const now = await tables.now();
  const due: Where = [['last_start', '<', now]];
  const found = await tables.of(Task).find({ where: due, order: [['last_start', 'asc']], limit: most });
  const locked = await lockTemplates(
    tables,
    found.map((task) => task.runtemplate_id),
    'skip',
  );
  const ours = found.filter((task) => locked.has(task.runtemplate_id)).map((task) => task.id);
  if (ours.length === 0) return found.length;
  const tasks = await tables.of(Task).find({ where: [['id', 'in', ours], ...due] });
  const jobs = await pendingJobs(tables, ours);
  const held = new Set(jobs.filter((job) => job.queue_at === null).map((job) => job.task_id));
  await tables.of(Task).update(
    tasks.map((task) => ({
      row: task,
      set: {
        state: transition(taskTransitions, task.state, task.attempts === 0 ? 'missed' : 'failed'),
        reason: reasonOf(task, held.has(task.id)),
        last_start: null,
      },
    })),
  );
  await endPendingJobs(tables, jobs, 'skipped', tooLate);
  await unblockNext(
    tables,
    tasks.map((task) => task.runtemplate_id),
  );
  return found.length;
}

function reasonOf(task: TaskRow, held: boolean): string {
  const until = formatInstant(task.last_start as number);
  if (task.attempts > 0) return `no further attempt was started by ${until}, the last moment for it`;
  return held
    ? `another job of the template was running until ${until}, the last moment to start`
    : `nothing was started by ${until}, the last moment for it`;
}

function tooLate(_job: JobRow): string {
  return 'the last moment to start it has passed';
}
