import { badRequest } from '../errors.ts';
import type { Instant, Milliseconds } from '../loop/clock.ts';
import { day, hour, minute } from './duration.ts';
import { nearestInstant, parseInstant } from './instant.ts';
import { zoneNamed } from './zone.ts';

/** Formats an instant as the local time of a zone for people, to the minute: `2026-11-27 14:05`. */
export function formatLocalTime(instant: Instant, timezone: string): string {
  return new Date(zoneNamed(timezone).wallAt(instant)).toISOString().slice(0, 16).replace('T', ' ');
}

/** Formats an instant as `formatLocalTime` does, without the date where that is the local date of `now`: `14:05`. */
export function formatShortLocalTime(instant: Instant, timezone: string, now: Instant): string {
  const [date, time] = formatLocalTime(instant, timezone).split(' ') as [string, string];
  return formatLocalTime(now, timezone).startsWith(date) ? time : `${date} ${time}`;
}

/** Reads a time of day such as `08:00`, as milliseconds since midnight; undefined for a text that is none. */
export function parseTimeOfDay(text: string): Milliseconds | undefined {
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  return hours === undefined ? undefined : Number(hours) * hour + Number(minutes) * minute;
}

/** A range of time, both ends inclusive. */
export interface TimeRange {
  readonly from: Instant;
  readonly to: Instant;
}

/** A day of a time zone, or the part of it that lies in a range. */
export interface LocalDay extends TimeRange {
  /** `2026-11-21` */
  readonly day: string;
}

/** How many days a caller may have read at once. */
export const maxDays = 366;

/**
 * Splits a range into the days of a zone, the newest first; the first and the last are cut to the range.
 * @throws HorariumError `bad_request` when it has more than `maxDays`.
 */
export function localDaysIn({ from, to }: TimeRange, timezone: string): LocalDay[] {
  const zone = zoneNamed(timezone);
  const midnight = (instant: Instant) => Math.floor(zone.wallAt(instant) / day) * day;
  const last = midnight(to);
  const count = Math.max(0, (last - midnight(from)) / day + 1);
  if (count > maxDays) throw badRequest(`The range has ${count} days; the maximum is ${maxDays}.`);
  const days = Array.from({ length: count }, (_, index) => {
    const localMidnight = last - index * day;
    return {
      day: new Date(localMidnight).toISOString().slice(0, 10),
      from: nearestInstant(Math.max(from, zone.reach(localMidnight))),
      to: Math.min(to, zone.reach(localMidnight + day) - 1),
    };
  });
  return days.filter((each) => each.from <= each.to);
}

/**
 * Returns when the day of a zone begins that an instant lies in.
 * @param daysBefore returns when an earlier day begins instead.
 */
export function startOfDay(instant: Instant, timezone: string, daysBefore = 0): Instant {
  const zone = zoneNamed(timezone);
  return nearestInstant(zone.reach((Math.floor(zone.wallAt(instant) / day) - daysBefore) * day));
}

/**
 * Reads a time that a person writes: a local time, which is the next one of that name (`14:00`), a local date with or without
 * a time (`2026-11-27 14:00`), or RFC 3339.
 * @param name what is read, for messages.
 * @throws HorariumError `bad_request` that says what a time looks like, also for one that a clock change leaves out.
 */
export function readLocalTime(name: string, text: string, timezone: string, now: Instant): Instant {
  const zone = zoneNamed(timezone);
  const [, date, time] = /^(?:(\d{4}-\d{2}-\d{2})|(?=\d{2}:))(?:[T ]?(\d{2}:\d{2}))?$/.exec(text) ?? [];
  if (date === undefined && time === undefined) {
    try {
      return parseInstant(text);
    } catch {
      throw badRequest(`${name} must be a time such as 14:00, 2026-11-27 14:00 or 2026-11-27T14:00:00Z, not ${text}.`);
    }
  }
  const today = formatLocalTime(now, timezone).slice(0, 10);
  const at = (onDay: string, daysLater = 0): Instant => {
    const first = Date.parse(`${onDay}T${time ?? '00:00'}:00Z`);
    const exists = !Number.isNaN(first) && new Date(first).toISOString().startsWith(onDay);
    const wall = first + daysLater * day;
    const instant = exists ? nearestInstant(zone.reach(wall)) : 0;
    if (!exists || zone.wallAt(instant) !== wall) throw badRequest(`${name} ${text} does not exist in ${timezone}.`);
    return instant;
  };
  if (date !== undefined) return at(date);
  const first = at(today);
  return first > now ? first : at(today, 1);
}
