import { Job, type JobRow } from '../job/job.ts';
import { newJob } from '../job/new-job.ts';
import type { Instant } from '../loop/clock.ts';
import { describePause, type PauseRow } from '../pause/pause.ts';
import type { Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import { newRow } from '../store/table.ts';
import { Task, type TaskRow } from '../task/task.ts';
import { startDeadline } from '../task/task-outcome.ts';
import type { ScheduleSpec } from '../template/schedule.ts';
import { deadlineAt } from '../time/deadline.ts';
import { dueAt } from '../time/due.ts';
import type { Window } from '../time/windows.ts';
import type { DueWindow, WindowMode } from './due-windows.ts';
import { pausesOfTasks } from './paused-tasks.ts';
import { waiveTasks } from './waive-tasks.ts';

/** Windows of a template that need their Tasks now. */
export interface WindowBatch {
  readonly template: ScheduleSpec;
  readonly windows: readonly DueWindow[];
  /** The user who requested them. @default null */
  readonly launchedBy?: number | null;
}

/**
 * Creates the Tasks of windows, and the first jobs of those that are run. A window that has a Task already gets no second
 * one; after the clock was set back its Task may have been missed before it began, and is opened again. The caller has
 * locked the templates.
 * @returns the ids of the new Tasks.
 */
export async function createTasks(tables: Tables, batches: readonly WindowBatch[]): Promise<readonly number[]> {
  const now = await tables.now();
  const planned = batches.flatMap(({ windows, ...of }) => windows.map((due) => ({ ...of, ...due })));
  const pauses = await pausesOfPassed(tables, planned);
  const rows = planned.map((each, index) => {
    const pause = pauses[index];
    return { ...each, pause, task: newTask(each.template, each, pause, now) };
  });
  const ids = await tables.of(Task).insertAbsent(
    rows.map(({ task }) => task),
    ['runtemplate_id', 'window_start'],
  );
  const jobs: Omit<JobRow, 'id'>[] = [];
  const waivedIds: number[] = [];
  for (const [index, { template, launchedBy = null, mode, pause, task }] of rows.entries()) {
    const id = ids[index];
    if (typeof id !== 'number' || mode === 'missed' || pause) continue;
    if (mode === 'waived') waivedIds.push(id);
    else jobs.push(firstJob(template, { ...task, id }, launchedBy));
  }
  await tables.of(Job).insert(jobs);
  if (waivedIds.length > 0)
    await waiveTasks(tables, [['id', 'in', waivedIds]], 'the template was changed before it was scheduled');
  const known = rows.filter(({ mode }, index) => mode === 'normal' && ids[index] === null);
  if (known.length > 0) await reopenBegun(tables, known);
  return ids.filter((id) => typeof id === 'number');
}

/**
 * Returns for each window that passed unscheduled the pause that would have kept its job from starting, and after which it is
 * not caught up; undefined = none.
 */
async function pausesOfPassed(
  tables: Tables,
  planned: readonly (DueWindow & { readonly template: ScheduleSpec })[],
): Promise<readonly (PauseRow | undefined)[]> {
  const pauses = await pausesOfTasks(
    tables,
    planned.map(({ template, window, mode }) => ({
      runtemplate_id: template.id,
      company_id: template.company_id,
      start_deadline: isRequested(mode) ? null : startDeadline(limitsOf(template, window)),
    })),
  );
  return pauses.map((pause) => (pause?.catch_up === 'none' ? pause : undefined));
}

/** Whether jobs of such a window start whatever pause it passed in. */
function isRequested(mode: WindowMode): boolean {
  return mode === 'normal' || mode === 'backfilled';
}

/** Returns the limits of a window's Task that is not caught up. */
function limitsOf(template: ScheduleSpec, window: Window) {
  return {
    deadline: deadlineAt(template, window, dueAt(template, window, template.id)),
    window_end: window.end,
    allow_late: template.allow_late,
    caught_up: false,
  };
}

/** Opens the Tasks of windows that begin if they were missed before. */
async function reopenBegun(
  tables: Tables,
  known: readonly { template: ScheduleSpec; window: Window }[],
): Promise<void> {
  const where: Where<TaskRow> = [
    ['runtemplate_id', 'in', known.map(({ template }) => template.id)],
    ['window_start', 'in', known.map(({ window }) => window.start)],
    ...missedUntried,
  ];
  const missed = await tables.of(Task).find({ where });
  const begun = known.flatMap(({ template, window }) => {
    const task = missed.find((row) => row.runtemplate_id === template.id && row.window_start === window.start);
    return task ? [{ template, task }] : [];
  });
  await reopenTasks(tables, begun);
}

/** The condition for Tasks that were missed and for which no attempt was requested since. */
export const missedUntried: Where<TaskRow> = [
  ['state', '=', 'missed'],
  ['attempts', '=', 0],
];

/**
 * Opens missed Tasks whose start deadlines have not passed: the clock was set back since. The caller has locked the
 * templates.
 */
export async function reopenTasks(
  tables: Tables,
  missed: readonly { readonly template: ScheduleSpec; readonly task: TaskRow }[],
): Promise<void> {
  const now = await tables.now();
  const early = missed.filter(({ task }) => (startDeadline(task) ?? 0) > now);
  const setOf = (task: TaskRow) =>
    ({ state: 'open', reason: null, start_deadline: startDeadline(task), ended_at: null }) as const;
  await tables.of(Task).update(early.map(({ task }) => ({ row: task, set: setOf(task) })));
  await tables.of(Job).insert(early.map(({ template, task }) => firstJob(template, task)));
}

/** Returns the Task of a window, with the limits that the template has now. @param pause in which the window passed. */
function newTask(
  template: ScheduleSpec,
  { window, mode }: DueWindow,
  pause: PauseRow | undefined,
  now: Instant,
): Omit<TaskRow, 'id'> {
  const limits = {
    ...limitsOf(template, window),
    caught_up: (mode === 'caught_up' || mode === 'backfilled') && !pause,
  };
  return newRow(Task, {
    ...limits,
    backfilled: mode === 'backfilled',
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
      ended_at: now,
    }),
    ...(pause && {
      state: 'cancelled' as const,
      reason: describePause(pause),
      start_deadline: null,
      ended_at: now,
    }),
  });
}

function firstJob(template: ScheduleSpec, task: TaskRow, launchedBy: number | null = null): Omit<JobRow, 'id'> {
  const window = { start: task.window_start, end: task.window_end };
  return newJob(template, {
    taskId: task.id,
    attempt: 1,
    trigger: task.caught_up ? 'catch_up' : 'schedule',
    at: dueAt(template, window, template.id),
    caughtUp: task.caught_up,
    launchedBy,
  });
}
