import { badRequest } from '../errors.ts';
import type { Instant } from '../loop/clock.ts';
import { day } from './duration.ts';

/** The years 1 to 9999: those that RFC 3339 can represent and every database can store. */
const earliest: Instant = Date.parse('0001-01-01T00:00:00Z');
export const latestInstant: Instant = Date.parse('9999-12-31T23:59:59.999Z');

// RFC 3339 section 5.6: date, "T" (or a space), time, optional fraction, "Z" or a numeric offset.
const rfc3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;

/** Whether a number is an instant that can be stored and formatted: milliseconds since 1970 in the years 1 to 9999. */
export function isInstant(value: unknown): value is Instant {
  return Number.isSafeInteger(value) && (value as number) >= earliest && (value as number) <= latestInstant;
}

/** @throws HorariumError `bad_request` naming an argument that is no instant: programs without types pass anything. */
export function requireInstant(name: string, value: unknown): void {
  if (!isInstant(value)) throw badRequest(`${name} must be a time in milliseconds since 1970, not ${value}.`);
}

/** Limits an instant to the first and last that can be stored. */
export function nearestInstant(value: number): Instant {
  return Math.min(Math.max(value, earliest), latestInstant);
}

/**
 * Reads an RFC 3339 time with any offset; numbers pass as they are.
 * @throws Error that says what a time looks like, also for dates that do not exist and years beyond 1 to 9999.
 */
export function parseInstant(input: unknown): Instant {
  const instant = typeof input === 'number' ? input : readInstant(input);
  if (!isInstant(instant)) throw new Error(`${input} is not within the years 1 to 9999 of UTC`);
  return instant;
}

function readInstant(input: unknown): number {
  const parts = typeof input === 'string' ? rfc3339.exec(input) : null;
  if (!parts) throw new Error('must be a time such as 2026-11-21T05:00:00Z');
  const [, year, month, day, hour, minute, second, fraction, sign, offsetHour, offsetMinute] = parts;
  const written = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
  const local = Date.parse(`${written}Z`);
  const exists = !Number.isNaN(local) && new Date(local).toISOString().startsWith(written);
  if (!exists || Number(offsetHour ?? 0) > 23 || Number(offsetMinute ?? 0) > 59)
    throw new Error(`${input} is not an existing date and time`);
  const offset = (Number(offsetHour ?? 0) * 60 + Number(offsetMinute ?? 0)) * 60_000;
  const milliseconds = Math.floor(Number(`0.${fraction ?? '0'}`) * 1000);
  return local + milliseconds - (sign === '-' ? -offset : offset);
}

/** The last day that was formatted: it is nearly always the next one as well, and formatting it is expensive. */
let written = { day: Number.NaN, text: '' };

/** Formats an instant as RFC 3339 in UTC with milliseconds: `2026-11-21T05:00:00.000Z`. */
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
