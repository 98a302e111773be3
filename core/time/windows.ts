import type { Instant } from '../loop/clock.ts';
import { type Cadence, startAtOrAfter, startAtOrBefore } from './cadence.ts';
import { latestInstant } from './instant.ts';

/** A half-open stretch of time, [start, end), for which a template has one Task. */
export interface Window {
  readonly start: Instant;
  /** The start of the window that follows. */
  readonly end: Instant;
}

/**
 * Returns the first window that starts at or after an instant; null when no further one starts (the interval is `none`,
 * the cron pattern fires at most once more, which leaves no next occurrence to end a window, or the year 9999 ends).
 * @throws HorariumError `invalid` for an unknown zone or a bad pattern; so do all functions here.
 */
export function windowAtOrAfter(cadence: Cadence, instant: Instant): Window | null {
  return windowFrom(cadence, startAtOrAfter(cadence, instant));
}

/** Returns the window that contains an instant; null when the cadence has none there. */
export function windowContaining(cadence: Cadence, instant: Instant): Window | null {
  return windowFrom(cadence, startAtOrBefore(cadence, instant));
}

/** Returns the window that follows another one of the same cadence; null when it was the last. */
export function windowAfter(cadence: Cadence, window: Window): Window | null {
  return windowFrom(cadence, window.end);
}

/**
 * Yields all windows that start at or after `from` and before `until`, oldest first; without `until`, endlessly.
 */
export function* windows(cadence: Cadence, from: Instant, until: Instant = Infinity): Generator<Window, void> {
  for (
    let window = windowAtOrAfter(cadence, from);
    window && window.start < until;
    window = windowAfter(cadence, window)
  )
    yield window;
}

/** Returns the window with this start, up to the next start; null where either is missing or beyond the year 9999. */
function windowFrom(cadence: Cadence, start: Instant | null): Window | null {
  const end = start === null ? null : startAtOrAfter(cadence, start + 1);
  return start === null || end === null || end > latestInstant ? null : { start, end };
}
