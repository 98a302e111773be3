import { owedWindowContaining, owedWindows } from '../calendar/owed-windows.ts';
import type { Instant } from '../loop/clock.ts';
import { firstWithoutTask } from '../scheduler/due-windows.ts';
import type { ScheduleRow, ScheduleSpec } from '../template/schedule.ts';
import { deadlineAt } from '../time/deadline.ts';
import { dueAt } from '../time/due.ts';
import type { TimeRange } from '../time/local-time.ts';
import type { Window } from '../time/windows.ts';
import type { ListedWindows } from './timeline.ts';
import { type HeldSpans, isHeldAt } from './timeline-holds.ts';

/** How many windows of one template are looked at: 34 days of minutes. */
const maxWindows = 50_000;

/** The windows of a template that have no Task yet. */
export interface WindowsToCome {
  /** The one in which the range begins, and those that start in it, oldest first. */
  readonly windows: readonly Window[];
  /** Until when they are complete; null = all are there. */
  readonly until: Instant | null;
}

export const noWindows: WindowsToCome = { windows: [], until: null };

type Scheduled = Pick<ScheduleRow, 'next_window' | 'next_at'>;

/** Finds the windows of templates that will get Tasks, as the scheduler does. Those of one cadence are found once. */
export class WindowsAhead {
  readonly #range: TimeRange;
  readonly #since: Instant;
  readonly #byCadence = new Map<string, WindowsToCome>();

  /** @param range `to` is exclusive. @param schedules those of the templates. */
  constructor(range: TimeRange, schedules: readonly Scheduled[]) {
    this.#range = range;
    // The clock may have been set back since: then windows come again from there on.
    const firsts = schedules.map(({ next_window, next_at }) => Math.min(next_window ?? Infinity, next_at ?? Infinity));
    this.#since = firsts.reduce((one, other) => Math.max(range.from, Math.min(one, other)), Infinity);
  }

  /** @throws HorariumError as `owedWindows`. */
  of(template: ScheduleSpec, schedule: Scheduled): WindowsToCome {
    const { from, to } = this.#range;
    const first = firstWithoutTask(template, schedule);
    if (first === null) return noWindows;
    const end = Math.min(to, template.ends_at ?? Infinity);
    const { windows, until } = this.#inRange(template);
    const current = first < from ? owedWindowContaining(template, from - 1) : null;
    const isOpen = current !== null && current.start >= first && current.start < end && current.end > from;
    const own = windows.filter(({ start }) => start >= first && start < end);
    return { windows: isOpen ? [current, ...own] : own, until: until !== null && until < end ? until : null };
  }

  /** Returns the windows of a cadence that start in the range, but for those that begin before any template needs one. */
  #inRange(template: ScheduleSpec): WindowsToCome {
    const { interval, cron, timezone, day_off, calendar_id } = template;
    const key = JSON.stringify([interval, cron, timezone, day_off, calendar_id]);
    const known = this.#byCadence.get(key);
    if (known) return known;
    const windows: Window[] = [];
    let until: Instant | null = null;
    for (const window of owedWindows(template, this.#since, this.#range.to)) {
      if (windows.length === maxWindows) {
        until = window.start;
        break;
      }
      windows.push(window);
    }
    const found = { windows, until };
    this.#byCadence.set(key, found);
    return found;
  }
}

/** Lists windows with their deadlines, and whether they will be held. @param origin the start of the timeline. */
export function listedWindows(
  template: ScheduleSpec,
  windows: readonly Window[],
  held: HeldSpans,
  origin: Instant,
): ListedWindows {
  const planned = windows.map((window) => ({ window, due: dueAt(template, window, template.id) }));
  return {
    start: windows.map(({ start }) => start - origin),
    end: windows.map(({ end }) => end - origin),
    due: planned.map(({ due }) => due - origin),
    deadline: planned.map(({ window, due }) => deadlineAt(template, window, due) - origin),
    held: planned.map(({ due }) => (isHeldAt(held, due) ? 1 : 0)),
  };
}

/** Calls `count` for the start of each window from the origin on, with whether it will be held. */
export function countWindows(
  template: ScheduleSpec,
  windows: readonly Window[],
  held: HeldSpans,
  count: (start: Instant, isHeld: boolean) => void,
): void {
  for (const window of windows)
    count(window.start, held.length > 0 && isHeldAt(held, dueAt(template, window, template.id)));
}
