import { owedWindowAtOrAfter } from '../calendar/owed-windows.ts';
import type { Instant } from '../loop/clock.ts';
import type { Backlog, ScheduleRow, ScheduleSpec } from '../template/schedule.ts';
import type { Window } from '../time/windows.ts';
import { appendBacklog, backlogOfOutage } from './backlog.ts';
import { firstWithoutTask, nextWindowStart } from './due-windows.ts';

/** What begins of a template, and what it leaves for later ticks. */
export interface TemplatePlan {
  /** The window that is current and has no Task yet; null = there is none. */
  readonly current: Window | null;
  /** The windows that passed without a Task, those of earlier outages included. */
  readonly backlog: readonly Backlog[];
  /** Start of the first window after the current one; null = no further one is owed. */
  readonly next: Instant | null;
}

/**
 * Plans the windows of a template that began and have no Task yet. Only the current one is scheduled at once: those that
 * passed, in an outage or because a tick came late, are backlog, which waits until the current windows of all templates
 * have their Tasks.
 */
export function planWindows(
  template: ScheduleSpec,
  schedule: Pick<ScheduleRow, 'next_window' | 'next_at' | 'backlog'>,
  now: Instant,
): TemplatePlan {
  const backlog = schedule.backlog ?? [];
  const from = firstWithoutTask(template, schedule);
  const first = from === null ? null : ownWindow(template, from);
  if (first === null) return { current: null, backlog, next: null };
  if (first.start > now) return { current: null, backlog, next: first.start };
  if (first.end > now) return { current: first, backlog, next: nextWindowStart(template, first.end) };
  const { backlog: passed, resume } = backlogOfOutage(template, first.start, now);
  const resumed = resume === null ? null : ownWindow(template, resume);
  const current = resumed !== null && resumed.start <= now ? resumed : null;
  const next = current ? nextWindowStart(template, current.end) : resume;
  return { current, backlog: appendBacklog(backlog, passed), next };
}

/** Returns the first window that starts at or after `from`, unless the template has ended by then. */
function ownWindow(template: ScheduleSpec, from: Instant): Window | null {
  const window = owedWindowAtOrAfter(template, from);
  return window && window.start < (template.ends_at ?? Infinity) ? window : null;
}
