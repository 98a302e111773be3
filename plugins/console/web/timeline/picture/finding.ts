import { type Bars, type Marks, numberOf, type PictureRow } from './marks.ts';

/** What of a row is chosen: the window or the slot that begins at a time. It stays the same one when it is read again. */
export interface Chosen {
  readonly template: number;
  /** In milliseconds since 1970. */
  readonly at: number;
}

/** The index of the window of a row, or of the slot, that a time names; -1 = there is none any more. */
export function indexOf({ marks, bars }: PictureRow, at: number): number {
  if (marks) return marks.start.indexOf(at);
  if (!bars) return -1;
  const slot = Math.floor((at - bars.from) / bars.slot);
  return (bars.total[slot] ?? 0) > 0 ? slot : -1;
}

/** The start of the window or slot with an index. */
export function startOf({ marks, bars }: PictureRow, index: number): number {
  return marks ? (marks.start[index] ?? 0) : bars ? bars.from + index * bars.slot : 0;
}

/** Until when the window or slot with an index is drawn. */
export function endOf({ marks, bars }: PictureRow, index: number, now: number): number {
  if (!marks) return bars ? bars.from + (index + 1) * bars.slot : 0;
  const last = marks.attempts[index + 1] ?? 0;
  const ran = last > (marks.attempts[index] ?? 0) ? Math.min(marks.attemptEnd[last - 1] ?? 0, now) : 0;
  return Math.max(marks.deadline[index] ?? 0, ran);
}

/**
 * Finds what of a row is drawn at a time: of several, the worst.
 * @param reach how far beside it is still found, in milliseconds.
 * @returns its index; -1 = nothing is there.
 */
export function indexAt(row: PictureRow, time: number, reach: number, now: number): number {
  const { marks, bars } = row;
  if (bars) return slotAt(bars, time, reach);
  if (!marks) return -1;
  let found = -1;
  let best = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < marks.count; at++) {
    const start = marks.start[at] ?? 0;
    if (start - reach > time || endOf(row, at, now) + reach < time) continue;
    // What is solid there comes before the window of another one, and the nearest start before those further away.
    const score = (isSolidAt(marks, at, time, reach) ? 1e15 : 0) - Math.abs(time - start) + (marks.shade[at] ?? 0);
    if (score <= best) continue;
    best = score;
    found = at;
  }
  return found;
}

/** Whether a window has something solid at a time, or begins there. */
export function isSolidAt(marks: Marks, index: number, time: number, reach: number): boolean {
  for (let at = marks.attempts[index] ?? 0; at < (marks.attempts[index + 1] ?? 0); at++)
    if ((marks.attemptStart[at] ?? 0) - reach <= time && (marks.attemptEnd[at] ?? 0) + reach >= time) return true;
  return Math.abs((marks.start[index] ?? 0) - time) <= reach;
}

function slotAt({ from, slot, total }: Bars, time: number, reach: number): number {
  const middle = Math.floor((time - from) / slot);
  const steps = Math.ceil(reach / slot);
  for (let step = 0; step <= steps; step++)
    for (const at of [middle - step, middle + step]) if ((total[at] ?? 0) > 0) return at;
  return -1;
}

/** Finds the window or slot that is the next one from an index on. @param step 1 or -1. @returns -1 at the end. */
export function nextIndex({ marks, bars }: PictureRow, index: number, step: 1 | -1): number {
  const count = marks?.count ?? bars?.total.length ?? 0;
  for (let at = index + step; at >= 0 && at < count; at += step) if (marks || (bars?.total[at] ?? 0) > 0) return at;
  return -1;
}

/** Finds the window or slot of a row whose start is nearest to a time. @returns -1 where there is none. */
export function nearestIndex(row: PictureRow, time: number): number {
  let found = -1;
  let best = Number.POSITIVE_INFINITY;
  for (let at = nextIndex(row, -1, 1); at >= 0; at = nextIndex(row, at, 1)) {
    const distance = Math.abs(startOf(row, at) - time);
    if (distance >= best) continue;
    best = distance;
    found = at;
  }
  return found;
}

const [open, held] = [numberOf('open'), numberOf('held')];

/** Whether the deadline of a window has passed without a run of it. */
export function isOverdue(marks: Marks, index: number, now: number): boolean {
  return marks.shade[index] === open && (marks.deadline[index] ?? 0) < now;
}

/** Whether a window has no Task yet. */
export function isToCome(marks: Marks, index: number): boolean {
  return (marks.shade[index] ?? 0) <= held;
}
