import { Temporal } from 'temporal-polyfill';
import { badRequest, HorariumError } from '../errors.ts';
import type { Instant, Milliseconds } from '../loop/clock.ts';
import { LruCache } from '../registry/lru-cache.ts';
import { hour } from './duration.ts';

/** The local time of a zone, counted as if it were UTC: its own milliseconds, never mixed with an Instant. */
export type WallTime = number;

/** A span [start, end) during which a zone's offset from UTC stays the same. Its neighbours may have the same one. */
export interface Span {
  readonly start: Instant;
  readonly end: Instant;
  /** Local time minus UTC. */
  readonly offset: Milliseconds;
  /** The offset just before the start; it differs where the start is a clock change. */
  readonly offsetBefore: Milliseconds;
}

/** A bound that exceeds the offset of any zone ever (Manila, until 1844: 15 h 56 min). */
const maxOffset = 16 * hour;
const nanoseconds = 1e6;
/**
 * The length of a cell, shorter than the time between any two clock changes since 1920, and any that is known to come:
 * the shortest are the six days and 23 hours of summer time in the north-east of Brazil in 2000. Two changes that
 * cancel out within one cell would be missed.
 */
const cell = 6 * 24 * hour;
const maxSpans = 1000;

/**
 * Represents an IANA time zone as a sequence of spans. Between two clock changes all arithmetic is that of whole
 * numbers; Temporal is asked only where the changes are, and only once for each.
 */
export class Zone {
  readonly name: string;
  #spans: Span[] = [];
  #latest: Span | null = null;
  /** The edge of the latest cell and the offset just before it, which the next cell needs. */
  #edge = { at: Number.NaN, offset: 0 };

  /** @throws HorariumError `invalid` for a name that is not an IANA zone. */
  constructor(name: string) {
    if (canonicalZone(name) === undefined)
      throw new HorariumError(
        'invalid',
        `There is no time zone "${name}"; an IANA name such as Europe/Prague is needed.`,
      );
    this.name = name;
  }

  /** Returns the span that an instant lies in. */
  spanAt(instant: Instant): Span {
    const latest = this.#latest;
    if (latest && latest.start <= instant && instant < latest.end) return latest;
    const at = this.#lastBegunBy(instant);
    let span = this.#spans[at];
    if (!span || instant >= span.end) {
      span = this.#look(instant);
      if (this.#spans.length < maxSpans) this.#spans.splice(at + 1, 0, span);
      else this.#spans = [span];
    }
    this.#latest = span;
    return span;
  }

  /** Returns the local time at an instant. */
  wallAt(instant: Instant): WallTime {
    return instant + this.spanAt(instant).offset;
  }

  /** Returns the first instant at which the local time is that one or a later one. */
  reach(wall: WallTime): Instant {
    for (let span = this.spanAt(wall - maxOffset); ; span = this.spanAt(span.end)) {
      const instant = Math.max(span.start, wall - span.offset);
      if (instant < span.end) return instant;
    }
  }

  /**
   * Returns the instants that have that local time, oldest first: usually one, two where it is repeated. Where a clock
   * change skips it, the one instant that is later by the length of the gap.
   */
  instantsAt(wall: WallTime): readonly [Instant, ...Instant[]] {
    const instants: Instant[] = [];
    let moved = wall;
    for (let span = this.spanAt(wall - maxOffset); ; ) {
      const instant = wall - span.offset;
      if (span.start <= instant && instant < span.end) instants.push(instant);
      if (span.end > wall + maxOffset) break;
      const next = this.spanAt(span.end);
      if (span.end <= instant && wall - next.offset < span.end) moved = instant;
      span = next;
    }
    const [first = moved, ...more] = instants;
    return [first, ...more];
  }

  /** Returns the first clock change after an instant; null when none is known. */
  nextChange(instant: Instant): Instant | null {
    return this.#at(instant).getTimeZoneTransition('next')?.epochMilliseconds ?? null;
  }

  /** Returns the index of the last known span that begins at or before an instant; -1 when none does. */
  #lastBegunBy(instant: Instant): number {
    let low = 0;
    let high = this.#spans.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#spans[middle] as Span).start <= instant) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  // Time is divided into cells. A change is looked for only in a cell whose two edges have different offsets: in a zone
  // without changes, a search for the last one would go back through centuries.
  #look(instant: Instant): Span {
    const first = Math.floor(instant / cell) * cell;
    const last = first + cell;
    const before = this.#edge.at === first ? this.#edge.offset : this.#offsetAt(first - 1);
    this.#edge = { at: last, offset: this.#offsetAt(last - 1) };
    const end = this.#edge.offset === before ? last : this.#changeAfter(first - 1, last);
    let span = { start: first, end, offset: before, offsetBefore: before };
    while (instant >= span.end) {
      const { end: start, offset: offsetBefore } = span;
      span = { start, end: this.#changeAfter(start, last), offset: this.#offsetAt(start), offsetBefore };
    }
    return span;
  }

  #changeAfter(instant: Instant, atMost: Instant): Instant {
    return Math.min(this.nextChange(instant) ?? atMost, atMost);
  }

  #offsetAt(instant: Instant): Milliseconds {
    return this.#at(instant).offsetNanoseconds / nanoseconds;
  }

  #at(instant: Instant): Temporal.ZonedDateTime {
    return Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(this.name);
  }
}

const zones = new LruCache<Zone>(1000);
const zoneOf = (name: string) => new Zone(name);

/** Returns the zone of that name. @throws HorariumError `invalid` for a name that is not an IANA zone. */
export function zoneNamed(name: string): Zone {
  return zones.getOrMake(name, zoneOf);
}

/** Checks the zone that a request asks for. @throws HorariumError `bad_request` for a name that is not an IANA zone. */
export function requireZone(timezone: string): void {
  if (zones.get(timezone) === undefined && canonicalZone(timezone) === undefined)
    throw badRequest(`There is no time zone "${timezone}"; timezone takes an IANA name such as Europe/Prague.`);
}

/**
 * Returns the canonical name of an IANA zone; undefined for a name that is none. Intl is not asked for UTC, which most
 * services run on, because it takes 11 MB when it is first used.
 */
export function canonicalZone(name: string): string | undefined {
  if (name === 'UTC') return name;
  // Intl accepts offsets such as "+01:00", which are not zones.
  if (!/^[A-Za-z]/.test(name)) return undefined;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}
