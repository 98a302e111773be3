import type { FieldError } from '../errors.ts';
import { HorariumError } from '../errors.ts';
import type { Instant, Milliseconds } from '../loop/clock.ts';
import { cronOf } from './cron.ts';
import { hour, minute } from './duration.ts';
import type { IntervalName } from './interval.ts';
import { occurrenceAtOrAfter, occurrenceAtOrBefore } from './occurrences.ts';
import { nextPeriodStart, type Period, periodStart } from './periods.ts';
import { type Zone, zoneNamed } from './zone.ts';

/** The fields of a run template that determine when its windows start. */
export interface Cadence {
  readonly interval: IntervalName;
  /** Required with the interval `custom`, ignored with others. */
  readonly cron: string | null;
  /** An IANA name. */
  readonly timezone: string;
}

/**
 * The first window start at or after an instant; null when none is left, or the interval is `none`.
 * Hours and minutes are elapsed ones that start at local :00, so that a clock change by half an hour makes one hour
 * longer or shorter. Days, weeks, months and years start at the first instant whose local time is their first moment or
 * a later one; one that a zone skipped as a whole has no start of its own.
 * @throws HorariumError `invalid` for an unknown zone or a bad pattern.
 */
export function startAtOrAfter(cadence: Cadence, instant: Instant): Instant | null {
  return findStart(cadence, instant, forwards);
}

/**
 * The last window start at or before an instant; null when there was none, or the interval is `none`.
 * @throws HorariumError `invalid` for an unknown zone or a bad pattern.
 */
export function startAtOrBefore(cadence: Cadence, instant: Instant): Instant | null {
  return findStart(cadence, instant, backwards);
}

/** Finds the window start nearest to an instant in one direction, by each kind of interval. */
interface StartSearch {
  readonly elapsed: typeof elapsedAtOrAfter;
  readonly occurrence: typeof occurrenceAtOrAfter;
  readonly calendar: typeof calendarAtOrAfter;
}

const forwards: StartSearch = {
  elapsed: elapsedAtOrAfter,
  occurrence: occurrenceAtOrAfter,
  calendar: calendarAtOrAfter,
};
const backwards: StartSearch = {
  elapsed: elapsedAtOrBefore,
  occurrence: occurrenceAtOrBefore,
  calendar: calendarAtOrBefore,
};

function findStart(cadence: Cadence, instant: Instant, search: StartSearch): Instant | null {
  const { interval, timezone } = cadence;
  if (interval === 'none') return null;
  const zone = zoneNamed(timezone);
  if (interval === 'minutely') return search.elapsed(zone, minute, instant);
  if (interval === 'hourly') return search.elapsed(zone, hour, instant);
  if (interval === 'custom') return search.occurrence(patternOf(cadence), zone, instant);
  return search.calendar(zone, interval, instant);
}

/** The errors of a cadence, a sentence for each field. */
export function checkCadence(cadence: Cadence): FieldError[] {
  const errors: FieldError[] = [];
  const zone = noteError(errors, 'timezone', () => zoneNamed(cadence.timezone));
  if (cadence.interval !== 'custom') return errors;
  const cron = noteError(errors, 'cron', () => patternOf(cadence));
  if (cron && cron.matchAtOrAfter(0) === null)
    errors.push({ field: 'cron', message: `"${cadence.cron}" never fires: no date matches it.` });
  else if (cron && zone && occurrenceAtOrAfter(cron, zone, 0) === null)
    errors.push({ field: 'cron', message: `"${cadence.cron}" never fires in ${cadence.timezone}.` });
  return errors;
}

function noteError<T>(errors: FieldError[], field: string, find: () => T): T | null {
  try {
    return find();
  } catch (error) {
    if (!(error instanceof HorariumError)) throw error;
    errors.push({ field, message: error.message });
    return null;
  }
}

function patternOf({ cron }: Cadence) {
  if (cron === null) throw new HorariumError('invalid', 'The interval custom needs a cron pattern.');
  return cronOf(cron);
}

// Adding zero turns the -0 that rounding may leave into 0.
function elapsedAtOrAfter(zone: Zone, unit: Milliseconds, instant: Instant): Instant {
  for (let from = instant; ; ) {
    const { end, offset } = zone.spanAt(from);
    const start = Math.ceil((from + offset) / unit) * unit - offset + 0;
    if (start < end) return start;
    from = end;
  }
}

function elapsedAtOrBefore(zone: Zone, unit: Milliseconds, instant: Instant): Instant {
  for (let until = instant; ; ) {
    const span = zone.spanAt(until);
    const start = Math.floor((until + span.offset) / unit) * unit - span.offset + 0;
    if (start >= span.start) return start;
    until = span.start - 1;
  }
}

function calendarAtOrAfter(zone: Zone, period: Period, instant: Instant): Instant {
  for (let wall = periodStart(period, zone.wallAt(instant)); ; wall = nextPeriodStart(period, wall)) {
    const start = zone.reach(wall);
    if (start >= instant) return start;
  }
}

// The local time has reached its own period already; where the clock went back over a period's start, the next one too.
function calendarAtOrBefore(zone: Zone, period: Period, instant: Instant): Instant {
  let wall = periodStart(period, zone.wallAt(instant));
  for (let start = zone.reach(wall); ; ) {
    wall = nextPeriodStart(period, wall);
    const next = zone.reach(wall);
    if (next > instant) return start;
    start = next;
  }
}
