import type { FieldError } from '../errors.ts';
import type { Instant, Milliseconds } from '../loop/clock.ts';
import { type Cadence, checkCadence } from './cadence.ts';
import { type Deadline, type DeadlineRule, parseDeadline } from './deadline.ts';
import type { DueRule } from './due.ts';
import { day, hour, minute, second } from './duration.ts';
import { zoneNamed } from './zone.ts';

/** The fields of a run template that place its work in time. */
export interface Timing extends Cadence, DueRule, DeadlineRule {}

/** A zone without a clock change since then, and without a known one to come, counts as one without changes. */
const changesSince: Instant = Date.UTC(2020, 0, 1);

/**
 * The errors of a template's timing, a sentence for each field.
 *
 * The due time (delay and the whole jitter) must lie inside every window, and the deadline after it and not after
 * the window's end, so they are compared with the shortest window of the interval: February of 28 days and, in a
 * zone whose clock changes, a day of 23 hours. Times of day are compared as on a day without a clock change. `dueAt` and
 * `deadlineAt` limit themselves to windows that are shorter still, because a zone changed its offset for good, and to
 * those of `custom`, whose lengths are unknown.
 */
export function checkTiming(timing: Timing): FieldError[] {
  const errors = checkCadence(timing);
  const deadline = read(errors, timing.deadline);
  if (errors.length > 0 || timing.interval === 'none') return errors;
  const shortest = shortestWindow(timing);
  const due = (timing.delay + timing.jitter) * second;
  if (due >= shortest.length) {
    const [field, what] =
      timing.delay * second >= shortest.length ? ['delay', 'delay'] : ['jitter', 'delay plus jitter'];
    errors.push({ field, message: `${what} must be less than ${shortest.description}.` });
  }
  if (deadline && earliest(deadline, shortest) <= due)
    errors.push({
      field: 'deadline',
      message: `${timing.deadline} is not after the due time, which is ${due / second} seconds after the window's start (delay plus jitter).`,
    });
  else if (deadline && !fitsIn(shortest, deadline))
    errors.push({ field: 'deadline', message: `${timing.deadline} may lie after the end of ${shortest.description}.` });
  return errors;
}

function read(errors: FieldError[], deadline: string | null): Deadline | null {
  try {
    return deadline === null ? null : parseDeadline(deadline);
  } catch (error) {
    errors.push({ field: 'deadline', message: (error as Error).message });
    return null;
  }
}

/** The shortest window of an interval. */
interface Shortest {
  readonly length: Milliseconds;
  /** Whole days on the calendar. */
  readonly days: number;
  /** The time that a clock change may take from a day. */
  readonly lost: Milliseconds;
  readonly description: string;
}

function shortestWindow({ interval, timezone }: Cadence): Shortest {
  if (interval === 'custom' || interval === 'none')
    return { length: Infinity, days: Infinity, lost: 0, description: 'the window' };
  if (interval === 'minutely') return { length: minute, days: 0, lost: 0, description: 'a minute' };
  if (interval === 'hourly') return { length: hour, days: 0, lost: 0, description: 'an hour' };
  const days = { daily: 1, weekly: 7, monthly: 28, yearly: 365 }[interval];
  const lost = zoneNamed(timezone).nextChange(changesSince) === null ? 0 : hour;
  const length = days * day - lost;
  return { length, days, lost, description: `the shortest ${interval} window in ${timezone} (${length / hour} hours)` };
}

/** Returns the minimum time from the start of a window to its deadline. */
function earliest(deadline: Deadline, { length, lost }: Shortest): Milliseconds {
  if (deadline.kind === 'elapsed') return deadline.after;
  if (deadline.kind === 'days') return deadline.days * day - lost;
  return length === Infinity ? Infinity : deadline.timeOfDay;
}

function fitsIn({ length, days }: Shortest, deadline: Deadline): boolean {
  if (deadline.kind === 'elapsed') return deadline.after <= length;
  return deadline.kind === 'days' ? deadline.days <= days : days > 0;
}
