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
import { dueAt } from '../time/due.ts';
import type { Window } from '../time/windows.ts';
import type { Scope } from './scope.ts';

/** The job that starts next, if a worker is free: one that waits for its time, or the first of a window that lies ahead. */
export interface NextRun {
  readonly at: Instant;
  readonly runtemplate_id: number;
  readonly company_id: number;
}

/**
 * How many of the jobs that are due first, and of the windows that begin first, are looked at: pauses may hold some, and a
 * window may have its job earlier than one before it.
 */
const maxLooked = 100;

/** Finds the job that starts next; null = none will. */
export async function findNextRun(
  tables: Tables,
  scope: Scope,
  { now, calendarRules }: { readonly now: Instant; readonly calendarRules: CalendarRuleSchemas },
): Promise<NextRun | null> {
  const [queued, schedules] = await Promise.all([
    tables.of(Job).find({
      where: [['queue_at', '>', now], ...scope],
      order: [['queue_at', 'asc']],
      limit: maxLooked,
      columns: ['queue_at', 'runtemplate_id', 'company_id'],
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
  const waiting = queued.map((job): NextRun => {
    const pause = pauses.at(job, job.queue_at ?? now);
    return { ...job, at: pause ? endOfPause(pause) : (job.queue_at ?? now) };
  });
  const ofWindows = schedules.flatMap(({ next_window, runtemplate_id, company_id }): NextRun[] => {
    const stored = templates.get(runtemplate_id);
    if (!stored || next_window === null) return [];
    const template = calendars.resolve(stored);
    const at = unlessUnplannable(() => startIn(pauses, template, next_window, now), null);
    return at === null ? [] : [{ at, runtemplate_id, company_id }];
  });
  const [first] = [...waiting, ...ofWindows].filter(({ at }) => at < Infinity).sort((one, other) => one.at - other.at);
  return first ? { at: first.at, runtemplate_id: first.runtemplate_id, company_id: first.company_id } : null;
}

/** Returns when the first job of the window that a schedule names starts; null = there is no such window. */
function startIn(pauses: Pauses, template: ScheduleSpec, start: Instant, now: Instant): Instant | null {
  const window = owedWindowAtOrAfter(template, start);
  return window && startOf(pauses, template, window, now);
}

/** Returns when the first job of a window starts, or of the first one after the pause that holds it; Infinity = none will. */
function startOf(pauses: Pauses, template: ScheduleSpec, window: Window, now: Instant): Instant {
  // A window that has just begun gets its Task within a moment.
  const due = Math.max(now, dueAt(template, window, template.id));
  const pause = pauses.at(templateRef(template), due);
  if (!pause) return due;
  const end = endOfPause(pause);
  if (end < window.end || end === Infinity) return end;
  const next = nextWindowStart(template, end);
  const after = next === null ? null : owedWindowAtOrAfter(template, next);
  return after ? dueAt(template, after, template.id) : Infinity;
}
