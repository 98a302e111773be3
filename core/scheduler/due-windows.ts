import type { Instant } from '../loop/clock.ts';
import type { ScheduleSpec } from '../template/schedule.ts';
import { type Window, windowAtOrAfter, windows } from '../time/windows.ts';

/** The most windows of one template that are run after an outage: the newest ones. */
const maxCaughtUp = 1000;

/** How many of the windows that passed during an outage are still run. */
const caughtUpLimits: Readonly<Record<ScheduleSpec['catch_up'], number>> = { none: 0, latest: 1, all: maxCaughtUp };

/**
 * How a window is met: by a job in its time, by a job after downtime, or by none because it passed (`missed`) or because
 * its template was changed before it was scheduled (`waived`).
 */
export type WindowMode = 'normal' | 'caught_up' | 'missed' | 'waived';

export interface DueWindow {
  readonly window: Window;
  readonly mode: WindowMode;
}

export interface DueWindows {
  readonly windows: readonly DueWindow[];
  /** Start of the first window that is left for later; null = no further one is owed. */
  readonly next: Instant | null;
}

/**
 * The windows that began since `from` and need their Task now, oldest first and at most `limit`, each with its mode.
 * Windows that are over have passed while nothing was scheduling; the current one runs normally.
 */
export function dueWindows(template: ScheduleSpec, from: Instant, now: Instant, limit: number): DueWindows {
  const caughtUpLimit = caughtUpLimits[template.catch_up];
  // Read ahead by one more than are caught up (the last window read may be the current one), so that every window of
  // this batch is followed by all the newer ones that could make it too old to run.
  const until = Math.min(now + 1, template.ends_at ?? Infinity);
  const found = first(windows(template, from, until), limit + caughtUpLimit + 1);
  const passed = found.filter((window) => window.end <= now).length;
  const batch = found.slice(0, limit).map((window, index) => ({ window, mode: modeOf(index, passed, caughtUpLimit) }));
  const following = found[limit];
  return { windows: batch, next: following ? following.start : nextWindowStart(template, found.at(-1)?.end ?? from) };
}

/** The start of the first window owed at or after that moment; null = none before the template ends. */
export function nextWindowStart(template: ScheduleSpec, from: Instant): Instant | null {
  const earliest = Math.max(from, template.starts_at ?? from);
  const window = windowAtOrAfter(template, earliest);
  return window && window.start < (template.ends_at ?? Infinity) ? window.start : null;
}

function modeOf(index: number, passed: number, caughtUpLimit: number): WindowMode {
  if (index >= passed) return 'normal';
  return passed - index - 1 < caughtUpLimit ? 'caught_up' : 'missed';
}

function first<T>(items: Iterable<T>, limit: number): T[] {
  const found: T[] = [];
  for (const item of items) {
    found.push(item);
    if (found.length === limit) break;
  }
  return found;
}
