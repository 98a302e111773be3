import type { Instant } from '../loop/clock.ts';
import { zoneNamed } from './zone.ts';

/** Formats an instant as the local time of a zone for people, to the minute: `2026-11-27 14:05`. */
export function localTime(instant: Instant, timezone: string): string {
  return new Date(zoneNamed(timezone).wallAt(instant)).toISOString().slice(0, 16).replace('T', ' ');
}

/** Formats an instant as `localTime` does, without the date where that is the local date of `now`: `14:05`. */
export function shortLocalTime(instant: Instant, timezone: string, now: Instant): string {
  const [date, time] = localTime(instant, timezone).split(' ') as [string, string];
  return localTime(now, timezone).startsWith(date) ? time : `${date} ${time}`;
}

/** Returns the last local midnight of a zone at or before an instant: the start of the day. */
export function startOfDay(instant: Instant, timezone: string): Instant {
  const zone = zoneNamed(timezone);
  return zone.reach(Date.parse(`${localTime(instant, timezone).slice(0, 10)}T00:00:00Z`));
}
