import { dayText, momentText, timeText } from '../parts/times.ts';
import { words } from '../words/words.ts';
import { isOverdue } from './picture/finding.ts';
import { type HeldSpan, type PictureRow, shades } from './picture/marks.ts';

/** Writes a window: `12:00 – 14:00`, with the days where they are not today. */
export function windowText(start: number, end: number, now: number): string {
  return `${momentText(start, now)} – ${untilText(start, end, now)}`;
}

/** Writes a time that stands after another one: with its day where that is a different one. */
export function untilText(start: number, end: number, now: number): string {
  return dayText(start) === dayText(end) ? timeText(end) : momentText(end, now);
}

/** Returns the state of a window as its dot and its word have it. */
export function stateOf(row: PictureRow, index: number, now: number): string {
  if (!row.marks) return 'open';
  if (isOverdue(row.marks, index, now)) return 'overdue';
  const shade = shades[row.marks.shade[index] ?? 0] ?? 'to_come';
  if (shade === 'to_come' || shade === 'open') return holdOf(row, index, now) ? 'held' : 'open';
  return shade;
}

/** Finds the span that holds the job of a window which has not run yet: when it is due, or as long as it waits. */
export function holdOf(row: PictureRow, index: number, now: number): HeldSpan | undefined {
  const { marks } = row;
  const shade = shades[marks?.shade[index] ?? 0];
  const isAhead = shade === 'to_come' || shade === 'held' || shade === 'open';
  const hasAttempts = (marks?.attempts[index + 1] ?? 0) > (marks?.attempts[index] ?? 0);
  if (!marks || !isAhead || hasAttempts) return undefined;
  return heldAt(row, shade === 'open' ? now : (marks.due[index] ?? 0));
}

/** Says from when until when a row is paused, by whom and why. */
export function heldText({ from, to, by, reason }: HeldSpan, now: number): string {
  const until = to < Number.POSITIVE_INFINITY ? untilText(from, to, now) : null;
  return words.value.timeline.held(momentText(from, now), until, by, reason);
}

/** Writes a window or slot of a row in one line, for those who do not see the picture. */
export function lineOf(row: PictureRow, index: number, now: number): string {
  const { marks, bars } = row;
  const { timeline, states } = words.value;
  if (marks) {
    const state = stateOf(row, index, now);
    return timeline.line(
      windowText(marks.start[index] ?? 0, marks.end[index] ?? 0, now),
      states[state] ?? state,
      untilText(marks.start[index] ?? 0, marks.deadline[index] ?? 0, now),
    );
  }
  if (!bars) return '';
  const start = bars.from + index * bars.slot;
  const counts = countsOf({ bars }, index).map(([state, count]) => `${states[state] ?? state} ${count}`);
  return `${windowText(start, start + bars.slot, now)}: ${counts.join(', ')}`;
}

/** Returns how many of each state a slot has, the worst first. */
export function countsOf(
  { bars }: Pick<PictureRow, 'bars'>,
  index: number,
): (readonly [state: string, count: number])[] {
  const found = new Map<string, number>();
  for (let shade = shades.length - 1; shade >= 0; shade--) {
    const count = bars?.of[shade]?.[index] ?? 0;
    const name = shades[shade] ?? 'to_come';
    const state = name === 'to_come' ? 'open' : name;
    if (count > 0) found.set(state, (found.get(state) ?? 0) + count);
  }
  return [...found];
}

/** Finds the span in which a row is held at a time. */
export function heldAt({ held }: PictureRow, at: number): HeldSpan | undefined {
  return held.find(({ from, to }) => from <= at && at < to);
}

/** Finds the first span of a range in which a row is paused. */
export function pauseDuring({ held }: PictureRow, start: number, end: number): HeldSpan | undefined {
  return held.find(({ from, to }) => from < end && start < to);
}
