import { readCalendars } from '../calendar/calendars.ts';
import { type PendingJob, readPendingJobs, updatePendingJobs } from '../job/pending-jobs.ts';
import type { Instant, Milliseconds } from '../loop/clock.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import type { CalendarRuleSchemas } from '../resource/record-services.ts';
import type { Where } from '../store/query.ts';
import { readByIds } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import { Task, type TaskRow } from '../task/task.ts';
import { withoutDisabled } from '../template/disabled-reason.ts';
import { RunTemplate, type RunTemplateRow } from '../template/run-template.ts';
import {
  Schedule,
  type ScheduleRow,
  type ScheduleSpec,
  type StoredSpec,
  scheduleSpecFields,
} from '../template/schedule.ts';
import { missedUntried, reopenTasks } from './create-tasks.ts';
import { nextWindowStart, unlessUnplannable } from './due-windows.ts';

/**
 * Adapts what was planned to the store's clock, which was set back to `now`. Tasks and jobs ahead of it stay, and wait for
 * their time; the scheduler finds the next window of every template again, and makes no second Task of one that has one.
 * @param by by how much the clock was set back.
 */
export async function setBack(
  tables: Tables,
  { now, by, rules }: { readonly now: Instant; readonly by: Milliseconds; readonly rules: CalendarRuleSchemas },
): Promise<void> {
  await resetSchedules(tables, now);
  await requeueJobs(tables, now, by);
  await reopenMissedTasks(tables, now, rules);
}

async function resetSchedules(tables: Tables, now: Instant): Promise<void> {
  await tables.of(Schedule).updateWhere([['next_at', '>', now]], { next_at: now });
  await tables.of(Schedule).updateWhere([['backlog_at', '>', now]], { backlog_at: now });
  // A template that had ended by the clock as it was owes windows again.
  const unended = await activeTemplates(tables, [['ends_at', '>', now]]);
  const ended: Where<ScheduleRow> = [
    ['runtemplate_id', 'in', unended.map(({ id }) => id)],
    ['next_window', '=', null],
  ];
  await tables.of(Schedule).updateWhere(ended, { next_window: now + 1, next_at: now });
}

/**
 * Adapts pending jobs to the clock. Those that follow from a window wait for its time, also where others blocked them;
 * requested ones that were due stay due, and retries wait no longer than before.
 */
async function requeueJobs(tables: Tables, now: Instant, by: Milliseconds): Promise<void> {
  const jobs = await readPendingJobs(tables, [{ any: [[['scheduled_at', '>', now]], [['queue_at', '>', now]]] }]);
  const taskIds = jobs.flatMap((job) => job.task_id ?? []);
  const tasks = await readByIds(tables, Task, taskIds, ['id', 'window_start']);
  const changes = jobs.map((row) => {
    const at = Math.max(tasks.get(row.task_id ?? 0)?.window_start ?? 0, dueAgain(row, now, by));
    return { row, set: { scheduled_at: at, queue_at: Math.max(now, at) } };
  });
  await updatePendingJobs(tables, changes);
}

function dueAgain({ trigger, scheduled_at }: PendingJob, now: Instant, by: Milliseconds): Instant {
  if (scheduled_at <= now || trigger === 'schedule' || trigger === 'catch_up') return scheduled_at;
  const before = Math.max(now, scheduled_at - by);
  return trigger === 'retry' || before === now ? before : scheduled_at;
}

/**
 * Opens the Tasks of current windows that were missed only by the time from which the clock was set back, unless their
 * templates owe the windows no more. The scheduler does so for windows ahead when they begin.
 */
async function reopenMissedTasks(tables: Tables, now: Instant, rules: CalendarRuleSchemas): Promise<void> {
  const current: Where<TaskRow> = [['window_start', '<=', now], ['window_end', '>', now], ...missedUntried];
  const tasks = await tables.of(Task).find({ where: current });
  const active = await activeTemplates(tables, [['id', 'in', tasks.map((task) => task.runtemplate_id)]]);
  const calendars = await readCalendars(tables, rules, active);
  const templates = new Map(active.map((template) => [template.id, calendars.resolve(template)]));
  const owed: { readonly template: ScheduleSpec; readonly task: TaskRow }[] = [];
  for (const task of tasks) {
    await yieldToEventLoop();
    const template = templates.get(task.runtemplate_id);
    const isOwed = (spec: ScheduleSpec) => nextWindowStart(spec, task.window_start) === task.window_start;
    if (template && unlessUnplannable(() => isOwed(template), false)) owed.push({ template, task });
  }
  await reopenTasks(tables, owed);
}

/** Reads those of the templates whose windows are owed: they are active, and neither their App nor their company is disabled. */
async function activeTemplates(tables: Tables, where: Where<RunTemplateRow>): Promise<readonly StoredSpec[]> {
  const query = { where: [...where, ['active', '=', true]], columns: scheduleSpecFields } as const;
  return withoutDisabled(tables, await tables.of(RunTemplate).find(query));
}
