import type { Instant } from '../loop/clock.ts';
import type { Cron } from './cron.ts';
import { day } from './duration.ts';
import type { Zone } from './zone.ts';

// A pattern is matched against local time, and time is a sequence of spans of one offset. Within a span local time and
// instants differ by the offset alone; a span may start with a clock change:
// - the clock went back, so local times are repeated. A pattern that names times matches their first pass only, one that
//   means a frequency matches both.
// - the clock went forward, so local times are skipped. Times named inside the gap move forward by its length; a
//   frequency does not run there.

const twoDays = 2 * day;

/** Returns the first occurrence of a pattern in a zone at or after an instant; null when it never fires again. */
export function occurrenceAtOrAfter(cron: Cron, zone: Zone, instant: Instant): Instant | null {
  for (let from = instant; ; ) {
    const span = zone.spanAt(from);
    const before = span.offsetBefore;
    const fresh = cron.namesTimes ? span.start + before : -Infinity;
    const wall = cron.matchAtOrAfter(Math.max(from + span.offset, fresh));
    let found = wall === null ? Infinity : wall - span.offset;
    if (cron.namesTimes && span.offset > before) {
      const skipped = cron.matchAtOrAfter(from + before);
      if (skipped !== null && skipped < span.start + span.offset) found = Math.min(found, skipped - before);
    }
    if (found < span.end) return found;
    if (wall === null) return null;
    // No local time matches up to there, whatever the offset: rare patterns need not look at every span between.
    from = span.end - from > twoDays ? Math.max(span.end, found - twoDays) : span.end;
  }
}

/** Returns the last occurrence of a pattern in a zone at or before an instant; null when it never fired. */
export function occurrenceAtOrBefore(cron: Cron, zone: Zone, instant: Instant): Instant | null {
  for (let until = instant; ; ) {
    const span = zone.spanAt(until);
    const before = span.offsetBefore;
    const fresh = cron.namesTimes ? Math.max(span.start, span.start + before - span.offset) : span.start;
    const wall = cron.matchAtOrBefore(until + span.offset);
    const last = wall === null ? -Infinity : wall - span.offset;
    let found = last >= fresh ? last : -Infinity;
    if (cron.namesTimes && span.offset > before) {
      const skipped = cron.matchAtOrBefore(Math.min(until + before, span.start + span.offset - 1));
      if (skipped !== null && skipped >= span.start + before) found = Math.max(found, skipped - before);
    }
    if (found > -Infinity) return found;
    if (wall === null) return null;
    until = until - span.start > twoDays ? Math.min(span.start - 1, last + twoDays) : span.start - 1;
  }
}
