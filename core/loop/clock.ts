/** A moment: milliseconds since 1970-01-01T00:00:00Z. Rows hold moments this way; channels show them as RFC 3339. */
export type Instant = number;
/** A span of time in milliseconds. */
export type Milliseconds = number;

/**
 * PORT: where time comes from. Nothing in the core asks `Date.now()` or sets a timer by itself, so the whole
 * service runs in virtual time under a clock that a test moves.
 */
export interface Clock {
  now(): Instant;
  /** A stopwatch: milliseconds since some fixed moment, whatever happens to the time of day. */
  elapsed(): Milliseconds;
  /** Resolves after that long, or at once when the signal aborts; never rejects. */
  sleep(duration: Milliseconds, signal?: AbortSignal): Promise<void>;
}
