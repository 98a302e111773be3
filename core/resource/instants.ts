import type { Instant } from '../loop/clock.ts';

// RFC 3339 section 5.6: date, "T" (or a space), time, optional fraction, "Z" or a numeric offset.
const rfc3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;

/**
 * Reads an RFC 3339 time with any offset; numbers pass as they are.
 * @throws Error that says what a time looks like, also for dates that do not exist.
 */
export function parseInstant(input: unknown): Instant {
  if (typeof input === 'number' && Number.isSafeInteger(input)) return input;
  const parts = typeof input === 'string' ? rfc3339.exec(input) : null;
  if (!parts) throw new Error('must be a time such as 2026-11-21T05:00:00Z');
  const [, year, month, day, hour, minute, second, fraction, sign, offsetHour, offsetMinute] = parts;
  const local = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
  const shown = new Date(local).toISOString().slice(0, 19);
  if (shown !== `${year}-${month}-${day}T${hour}:${minute}:${second}` || Number(offsetHour ?? 0) > 23)
    throw new Error(`${input} is no existing date and time`);
  const offset = (Number(offsetHour ?? 0) * 60 + Number(offsetMinute ?? 0)) * 60_000;
  const milliseconds = Math.floor(Number(`0.${fraction ?? '0'}`) * 1000);
  return local + milliseconds - (sign === '-' ? -offset : offset);
}

const day = 86_400_000;
/** The day that was asked for last, written: nearly always it is asked for again, and it is what costs. */
let written = { day: Number.NaN, text: '' };

/** RFC 3339 in UTC with milliseconds: `2026-11-21T05:00:00.000Z`. */
export function formatInstant(instant: Instant): string {
  const at = Math.floor(instant / day);
  if (at !== written.day) written = { day: at, text: new Date(at * day).toISOString().replace(/T.*/, 'T') };
  const within = Math.trunc(instant - at * day);
  const seconds = Math.floor(within / 1000);
  const time = `${digits(seconds / 3600, 2)}:${digits((seconds / 60) % 60, 2)}:${digits(seconds % 60, 2)}`;
  return `${written.text}${time}.${digits(within % 1000, 3)}Z`;
}

function digits(value: number, count: number): string {
  return String(Math.floor(value)).padStart(count, '0');
}
