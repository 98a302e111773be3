import type { Instant, Milliseconds } from '../loop/clock.ts';
import { day, hour, minute, second } from './duration.ts';
import { parseTimeOfDay } from './local-time.ts';
import type { Window } from './windows.ts';
import { type Zone, zoneNamed } from './zone.ts';

/** A parsed deadline: elapsed time, days on the calendar, or a time of day. */
export type Deadline =
  | { readonly kind: 'elapsed'; readonly after: Milliseconds }
  | { readonly kind: 'days'; readonly days: number }
  | { readonly kind: 'local'; readonly timeOfDay: Milliseconds };

/** The fields of a run template that determine a deadline. */
export interface DeadlineRule {
  /** Null means the end of the window. */
  readonly deadline: string | null;
  readonly timezone: string;
}

/** The most days that clock changes, or a zone that crosses the date line, can take from calendar days. */
const maxDaysLost = 2;
const elapsed: Readonly<Record<string, Milliseconds>> = { s: second, m: minute, h: hour };

/**
 * Reads `+45s`, `+90m`, `+3h` (elapsed time), `+1d` (calendar days) or `08:00` (a time of day).
 * @throws Error that shows valid deadlines.
 */
export function parseDeadline(text: string): Deadline {
  const [, amount, unit = ''] = /^\+(\d{1,9})([smhd])$/.exec(text) ?? [];
  if (amount) {
    const after = elapsed[unit];
    return after ? { kind: 'elapsed', after: Number(amount) * after } : { kind: 'days', days: Number(amount) };
  }
  const timeOfDay = parseTimeOfDay(text);
  if (timeOfDay !== undefined) return { kind: 'local', timeOfDay };
  throw new Error(`must be a time such as 08:00, or counted from the window's start: +45s, +90m, +3h or +1d`);
}

/**
 * The deadline of a window: after the due time, and not after the window's end. Where the window is too short for the
 * rule, or a clock change leaves no time between the due time and the deadline, it is the window's end.
 * @throws Error for a deadline that cannot be parsed.
 */
export function deadlineAt(rule: DeadlineRule, window: Window, due: Instant): Instant {
  if (rule.deadline === null) return window.end;
  const deadline = instantOf(parseDeadline(rule.deadline), zoneNamed(rule.timezone), window);
  return deadline > due && deadline < window.end ? deadline : window.end;
}

function instantOf(deadline: Deadline, zone: Zone, { start, end }: Window): Instant {
  if (deadline.kind === 'elapsed') return start + deadline.after;
  if (deadline.kind === 'days') {
    // A large number of days may exceed the times that zones can compute; the end of the window limits it anyway.
    const far = (deadline.days - maxDaysLost) * day > end - start;
    return far ? end : zone.instantsAt(zone.wallAt(start) + deadline.days * day)[0];
  }
  const midnight = Math.floor(zone.wallAt(start) / day) * day;
  for (let wall = midnight + deadline.timeOfDay; ; wall += day) {
    const instant = zone.instantsAt(wall).find((shown) => shown >= start);
    if (instant !== undefined) return instant;
  }
}
