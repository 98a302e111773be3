import type { Instant } from '../loop/clock.ts';
import { type ScheduleSpec, scheduleSpecOf } from '../template/schedule-spec.ts';
import { windowContaining } from '../time/windows.ts';
import type { WindowBatch } from './create-tasks.ts';
import { dueWindows, owedAfter } from './due-windows.ts';

/**
 * Windows that have no Task yet, because nobody was scheduling: those of a template that was changed meanwhile, and
 * those of a long outage. They are written under the terms they began under, in batches across ticks (contract §4),
 * while the windows that begin from then on do not wait for them.
 */
export interface Backlog {
  readonly terms: ScheduleSpec;
  /** Start of the first window that has no Task yet. */
  readonly next: Instant;
  /** When the template was changed, or the outage ended: which windows had passed by then is judged at this moment. */
  readonly until: Instant;
  /** Nothing of them is run any more: those that had passed are missed, the one that was current is lifted. */
  readonly waived: boolean;
}

/** The next windows of backlog, oldest first and at most `most` of them, and what is left for later. */
export function takeBacklog(
  backlog: readonly Backlog[],
  most: number,
): { readonly batches: readonly WindowBatch[]; readonly left: readonly Backlog[] } {
  const batches: WindowBatch[] = [];
  const left: Backlog[] = [];
  let room = most;
  for (const each of backlog) {
    if (room <= 0) {
      left.push(each);
      continue;
    }
    const { windows, next } = dueWindows(each.terms, each.next, each.until, room);
    batches.push({ template: each.terms, windows: each.waived ? windows.map(withoutRunning) : windows });
    room -= windows.length;
    if (next !== null && next <= each.until) left.push({ ...each, next });
  }
  return { batches, left };
}

/** What an outage left behind that is too long for one batch, and the start of the window to go on with at once. */
export function backlogOfOutage(
  template: ScheduleSpec,
  from: Instant,
  now: Instant,
): { readonly backlog: Backlog; readonly resume: Instant | null } {
  const resume = owedAfter(template, windowContaining(template, now)?.start ?? now);
  const ends = Math.min(template.ends_at ?? Infinity, resume ?? Infinity);
  const terms = { ...scheduleSpecOf(template), ends_at: Number.isFinite(ends) ? ends : null };
  return { backlog: { terms, next: from, until: now, waived: false }, resume };
}

function withoutRunning({ window, treatment }: WindowBatch['windows'][number]): WindowBatch['windows'][number] {
  return { window, treatment: treatment === 'normal' ? 'waived' : 'missed' };
}
