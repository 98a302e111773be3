import { Job } from '../job/job.ts';
import { type PendingJob, readPendingJobs, unblockOldest, updatePendingJobs } from '../job/pending-jobs.ts';
import type { Instant, Milliseconds } from '../loop/clock.ts';
import type { Where } from '../store/query.ts';
import { readByIds } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import { Task, type TaskRow } from '../task/task.ts';
import { withoutDisabled } from '../template/disabled-reason.ts';
import { RunTemplate } from '../template/run-template.ts';
import { lockTemplatesOf, Schedule, scheduleSpecFields } from '../template/schedule.ts';
import { windowContaining } from '../time/windows.ts';
import { createTasks } from './create-tasks.ts';
import { nextWindowStart } from './due-windows.ts';
import type { BatchResult } from './end-tasks.ts';

/**
 * Lets the scheduler find the next window of every template again, because the clock was set back to `now`: their next
 * windows may begin before those that the schedules name.
 */
export async function resetSchedules(tables: Tables, now: Instant): Promise<void> {
  await tables.of(Schedule).updateWhere([['next_at', '>', now]], { next_at: now });
  await tables.of(Schedule).updateWhere([['backlog_at', '>', now]], { backlog_at: now });
  // A template that had ended by the clock as it was owes windows again.
  const unended = await tables.of(RunTemplate).find({
    where: [
      ['active', '=', true],
      ['ends_at', '>', now],
    ],
    columns: scheduleSpecFields,
  });
  const templates = new Map((await withoutDisabled(tables, unended)).map((template) => [template.id, template]));
  const schedules = await tables.of(Schedule).find({
    where: [
      ['runtemplate_id', 'in', [...templates.keys()]],
      ['next_window', '=', null],
    ],
    lock: 'wait',
  });
  const changes = schedules.flatMap((row) => {
    const template = templates.get(row.runtemplate_id);
    const next = template ? nextWindowStart(template, now + 1) : null;
    return next === null ? [] : [{ row, set: { next_window: next, next_at: next } }];
  });
  await tables.of(Schedule).update(changes);
}

/**
 * Adapts pending jobs to a clock that was set back to `now`. Retries wait no longer than before; requested jobs that were
 * due stay due; those that follow from a window wait for their time again. Jobs that others blocked are queued again,
 * because they may not be due any more.
 * @param setBack by how much the clock was set back.
 */
export async function adaptPendingJobs(tables: Tables, now: Instant, setBack: Milliseconds): Promise<void> {
  const jobs = await readPendingJobs(tables, [{ any: [[['scheduled_at', '>', now]], [['queue_at', '>', now]]] }]);
  const tasks = await readByIds(
    tables,
    Task,
    jobs.flatMap((job) => job.task_id ?? []),
  );
  const changes = jobs.map((row) => {
    const task = row.task_id === null ? undefined : tasks.get(row.task_id);
    const at = (task?.window_start ?? now) > now ? row.scheduled_at : dueAgain(row, now, setBack);
    return { row, set: { scheduled_at: at, queue_at: Math.max(now, at) } };
  });
  await updatePendingJobs(tables, changes);
}

/** Returns when a pending job is due by a clock that was set back. */
function dueAgain({ trigger, scheduled_at }: PendingJob, now: Instant, setBack: Milliseconds): Instant {
  if (scheduled_at <= now || trigger === 'schedule' || trigger === 'catch_up') return scheduled_at;
  const before = Math.max(now, scheduled_at - setBack);
  return trigger === 'retry' || before === now ? before : scheduled_at;
}

/**
 * Creates missed Tasks again whose deadlines are ahead of the clock, which was set back to `now`: they may still be met.
 * Leaves those of templates that do not owe their windows any more, by their cadence or because they are inactive.
 * @param after the id of the last Task of the batch before; 0 = this is the first.
 * @returns the id of the last Task of this batch; null = there are no further ones.
 */
export async function reopenMissedTasks(
  tables: Tables,
  now: Instant,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<number | null> {
  const missed: Where<TaskRow> = [
    ['deadline', '>', now],
    ['window_start', '<=', now],
    ['state', '=', 'missed'],
    ['attempts', '=', 0],
  ];
  const found = await tables.of(Task).find({ where: [...missed, ['id', '>', after]], limit });
  const locked = new Set(await lockTemplatesOf(tables, found, 'wait'));
  const templates = await readByIds(
    tables,
    RunTemplate,
    found.map((task) => task.runtemplate_id),
    [...scheduleSpecFields, 'active'],
  );
  const active = await withoutDisabled(
    tables,
    [...templates.values()].filter((template) => template.active),
  );
  const batches = active.flatMap((template) => {
    const window = windowContaining(template, now);
    const task = found.find(
      ({ id, runtemplate_id, window_start }) =>
        runtemplate_id === template.id && window_start === window?.start && locked.has(id),
    );
    return task && window ? [{ task, batch: { template, windows: [{ window, mode: 'normal' as const }] } }] : [];
  });
  await deleteTasks(
    tables,
    batches.map(({ task }) => task),
  );
  await createTasks(
    tables,
    batches.map(({ batch }) => batch),
  );
  return found.length === limit ? (found.at(-1)?.id as number) : null;
}

/** The Tasks that are deleted because the clock was set back. */
export interface TasksAhead {
  /** Their windows begin after this time, which no scheduler has reached yet by the clock as it is. */
  readonly after: Instant;
  /** Their windows begin by this time. */
  readonly until: Instant;
  readonly limit: number;
  /** `skip` leaves out the Tasks of templates that another transaction has locked. */
  readonly lock: 'wait' | 'skip';
}

/**
 * Deletes Tasks ahead of a clock that was set back, with their jobs, those first whose windows begin first. Those of which
 * an attempt was started stay, as do cancelled ones; the scheduler creates the others again when their windows begin.
 */
export async function deleteTasksAhead(
  tables: Tables,
  { after, until, limit, lock }: TasksAhead,
): Promise<Omit<BatchResult, 'last'>> {
  const ahead: Where<TaskRow> = [
    ['window_start', '>', after],
    ['window_start', '<=', until],
    ['state', 'in', ['open', 'missed']],
    ['attempts', '=', 0],
  ];
  const order = [['window_start', 'asc']] as const;
  const found = await tables.of(Task).find({ where: ahead, order, limit, columns: ['id', 'runtemplate_id'] });
  const more = found.length === limit;
  const locked = await lockTemplatesOf(tables, found, lock);
  if (locked.length === 0) return { done: 0, more };
  // An attempt may have started before the lock.
  const tasks = await tables.of(Task).find({ where: [['id', 'in', locked], ...ahead] });
  await deleteTasks(tables, tasks);
  return { done: tasks.length, more };
}

/** Deletes Tasks of which no attempt was started, with their jobs. The caller has locked the templates. */
async function deleteTasks(tables: Tables, tasks: readonly TaskRow[]): Promise<void> {
  if (tasks.length === 0) return;
  const ids = tasks.map((task) => task.id);
  await tables.of(Job).delete([['task_id', 'in', ids]]);
  await tables.of(Task).delete([['id', 'in', ids]]);
  await unblockOldest(
    tables,
    tasks.map((task) => task.runtemplate_id),
  );
}
