import { formatInstant, isInstant, zoneNamed } from '@horarium/core';

/**
 * Formats an instant for people as local time with its offset from UTC, which tells two times apart where the clock goes back:
 * `2026-11-27 14:05:00+01:00`, in UTC `2026-11-27 13:05:00Z`. It is RFC 3339, so that options for times take it.
 */
export function shownTime(instant: number, timezone: string): string {
  const wall = zoneNamed(timezone).wallAt(instant);
  const offset = isInstant(wall) ? Math.round((wall - instant) / 60_000) : 0;
  const text = formatInstant(instant + offset * 60_000).slice(0, 19);
  return `${text.replace('T', ' ')}${offset === 0 ? 'Z' : offsetText(offset)}`;
}

function offsetText(minutes: number): string {
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${two(Math.abs(minutes) / 60)}:${two(Math.abs(minutes) % 60)}`;
}

const utcTime = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z/;
/** A time as records have it for programs: always in UTC, with milliseconds. */
const serialized = new RegExp(`^${utcTime.source}$`);
const serializedWithin = new RegExp(`\\b${utcTime.source}\\b`, 'g');

/** Returns a value of a record as tables show it: a time, or a list of times, is that of the zone. */
export function withLocalTimes(value: unknown, timezone: string): unknown {
  if (typeof value === 'string') return serialized.test(value) ? shownTime(Date.parse(value), timezone) : value;
  const isList = Array.isArray(value) && value.every((each) => typeof each === 'string' && serialized.test(each));
  return isList ? value.map((each) => shownTime(Date.parse(each), timezone)) : value;
}

/** Returns a sentence that programs read too, with its times in the zone. */
export function sentenceWithLocalTimes(sentence: string, timezone: string): string {
  return sentence.replace(serializedWithin, (time) => shownTime(Date.parse(time), timezone));
}

/** Returns a message with its times in the zone, except in names that it quotes or suggests: people may have put times there. */
export function messageWithLocalTimes(message: string, timezone: string): string {
  const parts = message.split(/(“[^”]*”|Did you mean [^?]*\?)/);
  return parts.map((part, index) => (index % 2 === 0 ? sentenceWithLocalTimes(part, timezone) : part)).join('');
}

/** Names the zone of a text whose sentences have times without an offset; empty for a text without times. */
export function zoneNote(text: string, timezone: string): string {
  return /\b\d{2}:\d{2}\b/.test(text) ? `Times are in ${timezone}.\n` : '';
}
