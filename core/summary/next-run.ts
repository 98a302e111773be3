import { readCalendars } from '../calendar/calendars.ts';
import { owedWindowAtOrAfter } from '../calendar/owed-windows.ts';
import { Job } from '../job/job.ts';
import type { Instant } from '../loop/clock.ts';
import { endOfPause } from '../pause/pause.ts';
import { type Pauses, readPauses, templateRef } from '../pause/pauses.ts';
import type { CalendarRuleSchemas } from '../resource/record-services.ts';
import { nextWindowStart, unlessUnplannable } from '../scheduler/due-windows.ts';
import { readByIds } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import { RunTemplate } from '../template/run-template.ts';
import { Schedule, type ScheduleSpec, scheduleSpecFields } from '../template/schedule.ts';
import { deadlineAt } from '../time/deadline.ts';
import { dueAt } from '../time/due.ts';
import type { Window } from '../time/windows.ts';
import type { Scope } from './scope.ts';

/** The job that starts next, if a worker is free: one that waits for its time, or the first of a window that lies ahead. */
export interface NextRun {
  readonly at: Instant;
  readonly runtemplate_id: number;
  readonly company_id: number;
}

/** The next job of a template, with what it is owed for. */
export interface ComingRun extends NextRun {
  /** The Task of a job that waits for its time; null = it has none yet, or is none of a Task. */
  readonly task_id: number | null;
  /** That of the window; null = that of the Task, or none. */
  readonly deadline: Instant | null;
}

/**
 * How many of the jobs that are due first, and of the windows that begin first, are looked at: pauses may hold some, and a
 * window may have its job earlier than one before it.
 */
const maxLooked = 100;

/** Finds the jobs that start next, the first one first: of each template that has a window ahead the first one, and those that wait. */
export async function findNextRuns(
  tables: Tables,
  scope: Scope,
  { now, calendarRules }: { readonly now: Instant; readonly calendarRules: CalendarRuleSchemas },
): Promise<ComingRun[]> {
  const [queued, schedules] = await Promise.all([
    tables.of(Job).find({
      where: [['queue_at', '>', now], ...scope],
      order: [['queue_at', 'asc']],
      limit: maxLooked,
      columns: ['queue_at', 'runtemplate_id', 'company_id', 'task_id'],
    }),
    tables.of(Schedule).find({
      where: [['next_at', '!=', null], ...scope],
      order: [
        ['next_at', 'asc'],
        ['company_id', 'asc'],
      ],
      limit: maxLooked,
      columns: ['next_window', 'runtemplate_id', 'company_id'],
    }),
  ]);
  const ids = schedules.map(({ runtemplate_id }) => runtemplate_id);
  const templates = await readByIds(tables, RunTemplate, ids, scheduleSpecFields);
  const [pauses, calendars] = await Promise.all([
    readPauses(tables, [...queued, ...schedules]),
    readCalendars(tables, calendarRules, templates.values()),
  ]);
  const waiting = queued.map(({ queue_at, runtemplate_id, company_id, task_id }): ComingRun => {
    const pause = pauses.at({ runtemplate_id, company_id }, queue_at ?? now);
    return { at: pause ? endOfPause(pause) : (queue_at ?? now), runtemplate_id, company_id, task_id, deadline: null };
  });
  const ofWindows = schedules.flatMap(({ next_window, runtemplate_id, company_id }): ComingRun[] => {
    const stored = templates.get(runtemplate_id);
    if (!stored || next_window === null) return [];
    const template = calendars.resolve(stored);
    const start = unlessUnplannable(() => startIn(pauses, template, next_window, now), null);
    return start === null ? [] : [{ ...start, runtemplate_id, company_id, task_id: null }];
  });
  return [...waiting, ...ofWindows].filter(({ at }) => at < Infinity).sort((one, other) => one.at - other.at);
}

type Start = Pick<ComingRun, 'at' | 'deadline'>;

/** Returns when the first job of the window that a schedule names starts; null = there is no such window. */
function startIn(pauses: Pauses, template: ScheduleSpec, start: Instant, now: Instant): Start | null {
  const window = owedWindowAtOrAfter(template, start);
  return window && startOf(pauses, template, window, now);
}

/** Returns when the first job of a window starts, or of the first one after the pause that holds it; null = none will. */
function startOf(pauses: Pauses, template: ScheduleSpec, window: Window, now: Instant): Start | null {
  const due = dueAt(template, window, template.id);
  const deadline = deadlineAt(template, window, due);
  // A window that has just begun gets its Task within a moment.
  const at = Math.max(now, due);
  const pause = pauses.at(templateRef(template), at);
  if (!pause) return { at, deadline };
  const end = endOfPause(pause);
  if (end < window.end || end === Infinity) return { at: end, deadline };
  const next = nextWindowStart(template, end);
  const after = next === null ? null : owedWindowAtOrAfter(template, next);
  if (!after) return null;
  const later = dueAt(template, after, template.id);
  return { at: later, deadline: deadlineAt(template, after, later) };
}
