import { type DayNumber, type DaysOff, dayOf } from '../calendar/days-off.ts';
import type { Instant } from '../loop/clock.ts';
import { day } from '../time/duration.ts';
import { parseTimeOfDay } from '../time/local-time.ts';
import { zoneNamed } from '../time/zone.ts';

/** When maintenance is: on the days off of a calendar between two local times. */
export interface MaintenanceTimes {
  /** `22:00` */
  readonly start_time: string;
  /** `06:00`: on the next day unless it is later than `start_time`. */
  readonly end_time: string;
  readonly timezone: string;
  /** Null = the calendar was deleted: there is no maintenance. */
  readonly daysOff: DaysOff | null;
}

/** One time of maintenance: it holds from the start until the end, exclusive. */
export interface MaintenanceSpan {
  readonly start: Instant;
  readonly end: Instant;
}

/** How many days ahead the next time is looked for: as many as windows are by calendars. */
const maxAhead = 12 * 366;
/** How many days in a row become one span at most. */
const maxInRow = 366;

/**
 * Returns the first time of maintenance that starts at or after an instant; undefined where none follows. Times that meet,
 * because each lasts a whole day, are one.
 * @param endsAfter leaves out those that have ended by then. @default none is left out
 * @throws HorariumError `invalid` for an unknown zone, `unavailable` as `DaysOff`.
 */
export function nextMaintenance(
  times: MaintenanceTimes,
  startsFrom: Instant,
  endsAfter: Instant = startsFrom,
): MaintenanceSpan | undefined {
  for (const span of maintenanceFrom(times, startsFrom)) if (span.end > endsAfter) return span;
  return undefined;
}

/**
 * Yields the times of maintenance that start at or after an instant, oldest first.
 * @param until yields none that start later. @default so many years ahead as the next time is looked for
 * @throws HorariumError as `nextMaintenance`.
 */
export function* maintenanceFrom(
  times: MaintenanceTimes,
  startsFrom: Instant,
  until = Number.POSITIVE_INFINITY,
): Generator<MaintenanceSpan, void> {
  // The local date of a later instant may be earlier where a clock goes back at midnight.
  const first = dayOf(zoneNamed(times.timezone).wallAt(startsFrom)) - 1;
  const days = Math.min(maxAhead, Math.ceil((until - startsFrom) / day) + 2);
  for (let number = first; number <= first + days; number += 1) {
    const span = spanOn(times, number);
    if (!span || span.start < startsFrom) continue;
    if (span.start > until) return;
    const { end, last } = extended(times, number, span);
    yield { start: span.start, end };
    number = last;
  }
}

/**
 * Returns the time of maintenance in which an instant lies, from the day on that it lies in; undefined = it lies in none.
 * @throws HorariumError as `nextMaintenance`.
 */
export function maintenanceAt(times: MaintenanceTimes, at: Instant): MaintenanceSpan | undefined {
  const today = dayOf(zoneNamed(times.timezone).wallAt(at));
  for (const number of [today - 1, today, today + 1]) {
    const span = spanOn(times, number);
    if (span && span.start <= at && at < span.end) return { start: span.start, end: extended(times, number, span).end };
  }
  return undefined;
}

/** Adds the times of the days that follow as long as they meet. @returns when the last of them ends, and its day. */
function extended(times: MaintenanceTimes, number: DayNumber, { end: firstEnd }: MaintenanceSpan) {
  let [end, last] = [firstEnd, number];
  for (; last < number + maxInRow; last += 1) {
    const next = spanOn(times, last + 1);
    if (!next || next.start > end) break;
    end = next.end;
  }
  return { end, last };
}

/** Returns the time of maintenance that begins on a day; undefined = the day is none of it, or a clock change leaves none. */
function spanOn(
  { start_time, end_time, timezone, daysOff }: MaintenanceTimes,
  number: DayNumber,
): MaintenanceSpan | undefined {
  if (!daysOff || daysOff.reasonFor(number) === null) return undefined;
  const [from, to] = [parseTimeOfDay(start_time) ?? 0, parseTimeOfDay(end_time) ?? 0];
  const zone = zoneNamed(timezone);
  const start = zone.reach(number * day + from);
  const end = zone.reach((to > from ? number : number + 1) * day + to);
  return end > start ? { start, end } : undefined;
}
