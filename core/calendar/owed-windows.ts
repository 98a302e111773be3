import { HorariumError } from '../errors.ts';
import type { Instant, Milliseconds } from '../loop/clock.ts';
import type { Cadence } from '../time/cadence.ts';
import { cronOf } from '../time/cron.ts';
import { day } from '../time/duration.ts';
import { latestInstant } from '../time/instant.ts';
import { nextPeriodStart, type Period, periodStart } from '../time/periods.ts';
import { type Window, windowAtOrAfter, windowContaining } from '../time/windows.ts';
import { type WallTime, type Zone, zoneNamed } from '../time/zone.ts';
import { type DayNumber, type DaysOff, dayOf } from './days-off.ts';

/** What becomes of a window that begins on a day off. */
export const dayOffActions = ['skip', 'next', 'previous'] as const;
export type DayOffAction = (typeof dayOffActions)[number];

/** The fields of a run template that determine which windows are owed, with its calendar. */
export interface OwedCadence extends Cadence {
  readonly day_off: DayOffAction;
  /** The days off of its calendar; null = it follows none. */
  readonly daysOff: DaysOff | null;
}

/**
 * How far ahead a window is looked for that begins on a working day: of windows on 29 February there are three in that time. A
 * search makes the days off of so many years at most, without a pause.
 */
const maxAhead: Milliseconds = 12 * 366 * day;

/**
 * Returns the first window that is owed and starts at or after an instant; null when no further one starts.
 *
 * With `skip`, windows that begin on a day off are left out; the others stay as they are. With `next` and `previous` the
 * start of a window moves to the same local time of the next or previous working day, and windows last until the next start:
 * those that move to the same start become one.
 * @throws HorariumError `invalid` for an unknown zone or a bad pattern, `unavailable` as `DaysOff`; so do all functions here.
 */
export function owedWindowAtOrAfter(cadence: OwedCadence, instant: Instant): Window | null {
  const { daysOff, day_off } = cadence;
  if (daysOff === null) return windowAtOrAfter(cadence, instant);
  if (day_off === 'skip') return workingWindowAtOrAfter(cadence, daysOff, instant);
  return windowFrom(cadence, movedAtOrAfter(cadence, daysOff, instant));
}

/** Returns the owed window that contains an instant; null when there is none. */
export function owedWindowContaining(cadence: OwedCadence, instant: Instant): Window | null {
  const { daysOff, day_off } = cadence;
  if (daysOff !== null && day_off !== 'skip') return windowFrom(cadence, movedAtOrBefore(cadence, daysOff, instant));
  const window = windowContaining(cadence, instant);
  return window && dayOffAt(cadence, window.start) === null ? window : null;
}

/** Yields the owed windows that start at or after `from` and before `until`, oldest first; without `until`, endlessly. */
export function* owedWindows(cadence: OwedCadence, from: Instant, until: Instant = Infinity): Generator<Window, void> {
  for (
    let window = owedWindowAtOrAfter(cadence, from);
    window && window.start < until;
    window = owedWindowAtOrAfter(cadence, window.end)
  )
    yield window;
}

/** Returns the name of the day off on which an instant lies; null = it is a working day. */
export function dayOffAt({ timezone, daysOff }: Pick<OwedCadence, 'timezone' | 'daysOff'>, at: Instant): string | null {
  return daysOff?.reasonFor(dayOf(zoneNamed(timezone).wallAt(at))) ?? null;
}

/** Returns the days off from which a window that begins then was moved; none where the calendar moves none to it. */
export function movedFrom(cadence: OwedCadence, start: Instant): readonly DayNumber[] {
  const { daysOff, day_off, timezone } = cadence;
  if (daysOff === null || day_off === 'skip') return [];
  const target = dayOf(zoneNamed(timezone).wallAt(start));
  const moved = nominalStarts(cadence, daysOff, target).filter((each) => each.instant === start);
  return moved.map(({ from }) => from).filter((from) => from !== target);
}

/** Whether the starts of a cadence are times of days, which can move to another day. */
export function canMove({ interval, cron }: Pick<Cadence, 'interval' | 'cron'>): boolean {
  if (interval === 'custom') return cron === null || cronOf(cron).namesTimes;
  return interval !== 'minutely' && interval !== 'hourly';
}

function workingWindowAtOrAfter(cadence: OwedCadence, daysOff: DaysOff, instant: Instant): Window | null {
  const zone = zoneNamed(cadence.timezone);
  for (let from = instant; from <= instant + maxAhead; ) {
    const window = windowAtOrAfter(cadence, from);
    if (!window) return null;
    const first = dayOf(zone.wallAt(window.start));
    if (daysOff.reasonFor(first) === null) return window;
    const working = daysOff.workingDayFrom(first + 1);
    if (working === null) return null;
    from = Math.max(window.start + 1, zone.reach(working * day));
  }
  return null;
}

function windowFrom(cadence: OwedCadence, start: Instant | null): Window | null {
  const end = start === null ? null : movedAtOrAfter(cadence, cadence.daysOff as DaysOff, start + 1);
  return start === null || end === null || end > latestInstant ? null : { start, end };
}

// Starts move as local times, so that one that a clock change shifts on its own day is not shifted on another day. All that
// move to one working day are found together, because they interleave with its own; a search goes from one such day to the
// next. It begins a day away, because the local date of a later instant may be earlier where a clock goes back at midnight.

function movedAtOrAfter(cadence: OwedCadence, daysOff: DaysOff, instant: Instant): Instant | null {
  if (cadence.interval === 'none') return null;
  const zone = zoneNamed(cadence.timezone);
  const first = dayOf(zone.wallAt(instant)) - 1;
  let wall = (cadence.day_off === 'next' ? afterLastWorkingDay(daysOff, first) : first) * day;
  const last = wall + maxAhead;
  while (wall <= last) {
    const nominal = nominalAtOrAfter(cadence, wall);
    const target = nominal === null ? null : targetOf(cadence, daysOff, dayOf(nominal));
    if (target === null) return null;
    const found = nominalStarts(cadence, daysOff, target).find((each) => each.instant >= instant);
    if (found) return found.instant;
    wall = (groupOf(cadence, daysOff, target).last + 1) * day;
  }
  return null;
}

function movedAtOrBefore(cadence: OwedCadence, daysOff: DaysOff, instant: Instant): Instant | null {
  if (cadence.interval === 'none') return null;
  const zone = zoneNamed(cadence.timezone);
  const last = dayOf(zone.wallAt(instant)) + 1;
  let wall = (cadence.day_off === 'next' ? last + 1 : beforeNextWorkingDay(daysOff, last) + 1) * day - 1;
  const first = wall - maxAhead;
  while (wall >= first) {
    const nominal = nominalAtOrBefore(cadence, wall);
    const target = nominal === null ? null : targetOf(cadence, daysOff, dayOf(nominal));
    if (target === null) return null;
    const found = nominalStarts(cadence, daysOff, target).findLast((each) => each.instant <= instant);
    if (found) return found.instant;
    wall = groupOf(cadence, daysOff, target).first * day - 1;
  }
  return null;
}

/** Returns the working day to which the starts of a day move: a working day itself. */
function targetOf({ day_off }: OwedCadence, daysOff: DaysOff, from: DayNumber): DayNumber | null {
  return day_off === 'next' ? daysOff.workingDayFrom(from) : daysOff.workingDayUpTo(from);
}

/** Returns the span of days whose starts move to a working day, or are its own. */
function groupOf({ day_off }: OwedCadence, daysOff: DaysOff, target: DayNumber) {
  return day_off === 'next'
    ? { first: afterLastWorkingDay(daysOff, target - 1), last: target }
    : { first: target, last: beforeNextWorkingDay(daysOff, target + 1) };
}

function afterLastWorkingDay(daysOff: DaysOff, upTo: DayNumber): DayNumber {
  return (daysOff.workingDayUpTo(upTo) ?? upTo) + 1;
}

function beforeNextWorkingDay(daysOff: DaysOff, from: DayNumber): DayNumber {
  return (daysOff.workingDayFrom(from) ?? from) - 1;
}

/** Lists the starts on a working day, oldest first, each with the day from which it comes. */
function nominalStarts(cadence: OwedCadence, daysOff: DaysOff, target: DayNumber) {
  const zone = zoneNamed(cadence.timezone);
  const { first, last } = groupOf(cadence, daysOff, target);
  const starts: { readonly instant: Instant; readonly from: DayNumber }[] = [];
  const end = (last + 1) * day;
  for (
    let wall = nominalAtOrAfter(cadence, first * day);
    wall !== null && wall < end;
    wall = nominalAtOrAfter(cadence, wall + 1)
  ) {
    const from = dayOf(wall);
    starts.push({ instant: instantOf(cadence, zone, wall + (target - from) * day), from });
  }
  return starts.sort((one, other) => one.instant - other.instant);
}

function instantOf({ interval }: Cadence, zone: Zone, wall: WallTime): Instant {
  return interval === 'custom' ? zone.instantsAt(wall)[0] : zone.reach(wall);
}

/** Returns the first local time at or after another one at which the cadence names a start. */
function nominalAtOrAfter({ interval, cron }: Cadence, wall: WallTime): WallTime | null {
  if (interval === 'custom') return cronOf(cron as string).matchAtOrAfter(wall);
  const period = periodOf(interval);
  const start = periodStart(period, wall);
  return start >= wall ? start : nextPeriodStart(period, start);
}

function nominalAtOrBefore({ interval, cron }: Cadence, wall: WallTime): WallTime | null {
  return interval === 'custom' ? cronOf(cron as string).matchAtOrBefore(wall) : periodStart(periodOf(interval), wall);
}

function periodOf(interval: Cadence['interval']): Period {
  if (interval === 'daily' || interval === 'weekly' || interval === 'monthly' || interval === 'yearly') return interval;
  throw new HorariumError('invalid', `Windows of the interval ${interval} cannot move to another day.`);
}
