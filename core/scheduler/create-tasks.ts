import { Job, type JobRow } from '../job/job.ts';
import { newJob } from '../job/new-job.ts';
import type { Tables } from '../store/store.ts';
import { newRow } from '../store/table.ts';
import { Task, type TaskRow } from '../task/task.ts';
import { startDeadline } from '../task/task-outcome.ts';
import type { ScheduleSpec } from '../template/schedule.ts';
import { deadlineAt } from '../time/deadline.ts';
import { dueAt } from '../time/due.ts';
import type { Window } from '../time/windows.ts';
import type { DueWindow, WindowMode } from './due-windows.ts';
import { waiveTasks } from './end-tasks.ts';

/** Windows of a template that need their Tasks now. */
export interface WindowBatch {
  readonly template: ScheduleSpec;
  readonly windows: readonly DueWindow[];
}

/**
 * Creates the Tasks of windows, and the first jobs of those that are run. A window that has a Task already is left out.
 * The caller has locked the templates.
 */
export async function createTasks(tables: Tables, batches: readonly WindowBatch[]): Promise<void> {
  const rows = batches.flatMap(({ template, windows }) =>
    windows.map(({ window, mode }) => ({ template, mode, task: newTask(template, window, mode) })),
  );
  const ids = await tables.of(Task).insertAbsent(
    rows.map(({ task }) => task),
    ['runtemplate_id', 'window_start'],
  );
  const jobs: Omit<JobRow, 'id'>[] = [];
  const waivedIds: number[] = [];
  for (const [index, { template, mode, task }] of rows.entries()) {
    const id = ids[index];
    if (typeof id !== 'number' || mode === 'missed') continue;
    if (mode === 'waived') waivedIds.push(id);
    else jobs.push(firstJob(template, { ...task, id }));
  }
  await tables.of(Job).insert(jobs);
  if (waivedIds.length > 0)
    await waiveTasks(tables, [['id', 'in', waivedIds]], 'the template was changed before it was scheduled');
}

/** Returns the Task of a window, with the limits that the template has now. */
function newTask(template: ScheduleSpec, window: Window, mode: WindowMode): Omit<TaskRow, 'id'> {
  const limits = {
    deadline: deadlineAt(template, window, dueAt(template, window, template.id)),
    window_end: window.end,
    allow_late: template.allow_late,
    caught_up: mode === 'caught_up',
  };
  return newRow(Task, {
    ...limits,
    runtemplate_id: template.id,
    company_id: template.company_id,
    window_start: window.start,
    max_attempts: template.max_attempts,
    retry_backoff: template.retry_backoff,
    retry_delay: template.retry_delay,
    retry_max_delay: template.retry_max_delay,
    start_deadline: startDeadline(limits),
    ...(mode === 'missed' && {
      state: 'missed' as const,
      reason: 'the window passed while nothing was scheduling, and is not caught up',
      start_deadline: null,
    }),
  });
}

function firstJob(template: ScheduleSpec, task: TaskRow): Omit<JobRow, 'id'> {
  const window = { start: task.window_start, end: task.window_end };
  return newJob(template, {
    taskId: task.id,
    attempt: 1,
    trigger: task.caught_up ? 'catch_up' : 'schedule',
    at: dueAt(template, window, template.id),
    caughtUp: task.caught_up,
  });
}
