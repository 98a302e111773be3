import { owedWindowAtOrAfter, owedWindows } from '../calendar/owed-windows.ts';
import { HorariumError } from '../errors.ts';
import type { Instant } from '../loop/clock.ts';
import { maxCaughtUp } from '../template/run-template.ts';
import type { ScheduleRow, ScheduleSpec } from '../template/schedule.ts';
import type { Window } from '../time/windows.ts';

/** How many windows that passed during an outage or a pause are run, for each value of `catch_up`. */
export const caughtUpLimits: Readonly<Record<ScheduleSpec['catch_up'], number>> = {
  none: 0,
  latest: 1,
  all: maxCaughtUp,
};

/**
 * How a window is scheduled: `normal` by a job in time, `caught_up` by a job after downtime, `missed` without a job because
 * it has passed, `waived` without a job because its template was changed before, or `backfilled` by a job that a person
 * requested, because it was not owed.
 */
export type WindowMode = 'normal' | 'caught_up' | 'missed' | 'waived' | 'backfilled';

export interface DueWindow {
  readonly window: Window;
  readonly mode: WindowMode;
}

export interface DueWindows {
  readonly windows: readonly DueWindow[];
  /** Start of the first window after these; null = no further one is owed. */
  readonly next: Instant | null;
}

/**
 * Lists up to `limit` windows that began from `from` to `until` and have no Tasks yet, oldest first, each with its mode. Those
 * that have ended passed during an outage; the current one runs normally.
 */
export function dueWindows(
  template: ScheduleSpec,
  from: Instant,
  until: Instant,
  limit: number,
  now: Instant = until,
): DueWindows {
  const caughtUpLimit = caughtUpLimits[template.catch_up];
  // Whether a window is too old to be caught up depends on the newer ones. So this reads ahead by as many as are caught up
  // at most, and by one more, because the last one may be the current window, which has not passed.
  const end = Math.min(until + 1, template.ends_at ?? Infinity);
  const found = take(owedWindows(template, from, end), limit + caughtUpLimit + 1);
  const passedCount = found.filter((window) => window.end <= now).length;
  const batch = found
    .slice(0, limit)
    .map((window, index) => ({ window, mode: modeOf(index, passedCount, caughtUpLimit) }));
  const following = found[limit];
  return { windows: batch, next: following ? following.start : nextWindowStart(template, found.at(-1)?.end ?? from) };
}

/**
 * Returns the start of the first window that has no Task yet; null = none is owed. It is the one that the schedule names,
 * unless the clock was set back since: then the schedule is due at the time to which it was, and the windows after that
 * come again.
 */
export function firstWithoutTask(
  template: ScheduleSpec,
  { next_window, next_at }: Pick<ScheduleRow, 'next_window' | 'next_at'>,
): Instant | null {
  if (next_window === null || next_at === null || next_window <= next_at) return next_window;
  return nextWindowStart(template, next_at + 1);
}

/** Returns the start of the first window owed at or after `from`; null = the template owes no further window. */
export function nextWindowStart(template: ScheduleSpec, from: Instant): Instant | null {
  const earliest = Math.max(from, template.starts_at ?? from);
  const window = owedWindowAtOrAfter(template, earliest);
  return window && window.start < (template.ends_at ?? Infinity) ? window.start : null;
}

/**
 * Returns the same, or `from` itself where the calendar of the template cannot tell its days off: the scheduler looks for the
 * window from there on, until it can.
 */
export function nextWindowStartOrRetry(template: ScheduleSpec, from: Instant): Instant | null {
  return unlessUnplannable(() => nextWindowStart(template, from), from);
}

/** Returns what `plan` returns, or a fallback where the calendar of a template cannot tell its days off. */
export function unlessUnplannable<T, F>(plan: () => T, fallback: F): T | F {
  try {
    return plan();
  } catch (error) {
    if (error instanceof HorariumError && error.code === 'unavailable') return fallback;
    throw error;
  }
}

function modeOf(index: number, passedCount: number, caughtUpLimit: number): WindowMode {
  if (index >= passedCount) return 'normal';
  return passedCount - index - 1 < caughtUpLimit ? 'caught_up' : 'missed';
}

function take<T>(items: Iterable<T>, limit: number): T[] {
  const taken: T[] = [];
  for (const item of items) {
    taken.push(item);
    if (taken.length === limit) break;
  }
  return taken;
}
