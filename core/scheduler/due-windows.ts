import type { Instant } from '../loop/clock.ts';
import type { ScheduleSpec } from '../template/schedule-spec.ts';
import { type Window, windowAtOrAfter, windows } from '../time/windows.ts';
import type { WindowMode } from './new-task.ts';

/** At most so many windows of one template are run after an outage; the newest are kept. */
const mostCaughtUp = 1000;

/** How many of the windows that passed during an outage are still run. */
const kept: Readonly<Record<ScheduleSpec['catch_up'], number>> = { none: 0, latest: 1, all: mostCaughtUp };

export interface DueWindows {
  readonly windows: readonly { readonly window: Window; readonly treatment: WindowMode }[];
  /** Start of the first window that is left for later; null when no further one is owed. */
  readonly next: Instant | null;
}

/**
 * The windows that began since `from` and need their Task now, oldest first and at most `most`, with how each is
 * to be met. Windows that are over already passed while nobody was scheduling; the current one runs normally.
 */
export function dueWindows(template: ScheduleSpec, from: Instant, now: Instant, most: number): DueWindows {
  const keep = kept[template.catch_up];
  // One more than is kept, because the last of them may be the current window: then every one that is taken
  // has all the windows behind it that could make it too old to run.
  const seen = first(windows(template, from, Math.min(now + 1, template.ends_at ?? Infinity)), most + keep + 1);
  const passed = seen.filter((window) => window.end <= now).length;
  const taken = seen.slice(0, most).map((window, index) => ({ window, treatment: treat(index, passed, keep) }));
  const left = seen[most];
  return { windows: taken, next: left ? left.start : owedAfter(template, seen.at(-1)?.end ?? from) };
}

/** The start of the first window owed at or after that moment; null when there is none before the template ends. */
export function owedAfter(template: ScheduleSpec, from: Instant): Instant | null {
  const earliest = Math.max(from, template.starts_at ?? from);
  const window = windowAtOrAfter(template, earliest);
  return window && window.start < (template.ends_at ?? Infinity) ? window.start : null;
}

function treat(index: number, passed: number, keep: number): WindowMode {
  if (index >= passed) return 'normal';
  return passed - index - 1 < keep ? 'caught_up' : 'missed';
}

function first<T>(items: Iterable<T>, most: number): T[] {
  const taken: T[] = [];
  for (const item of items) {
    taken.push(item);
    if (taken.length === most) break;
  }
  return taken;
}
