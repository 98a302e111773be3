/**
 * An instant as milliseconds since 1970-01-01T00:00:00Z. Rows store instants this way; channels show them as RFC 3339.
 */
export type Instant = number;
/** A span of time in milliseconds. */
export type Milliseconds = number;

/**
 * PORT: the source of time. The core never calls `Date.now()` or sets a timer itself, so that the whole service runs in
 * virtual time under a clock that a test moves.
 */
export interface Clock {
  now(): Instant;
  /** Reads a monotonic clock: milliseconds since some fixed moment, whatever happens to the time of day. */
  elapsed(): Milliseconds;
  /**
   * Reads the time since the machine was booted. It goes on while the machine is suspended, as `elapsed` need not; a clock
   * that does not know it returns `elapsed()`.
   */
  uptime(): Milliseconds;
  /**
   * Returns how long this process has waited for a processor so far, because the machine was busy with other programs. A
   * clock that does not know it has no such method.
   */
  cpuDelay?(): Milliseconds;
  /** Names this boot of the machine, so that a later process can tell whether its uptime goes on; null = unknown. */
  readonly boot: string | null;
  /** Resolves after that long, or at once when the signal aborts; never rejects. */
  sleep(duration: Milliseconds, signal?: AbortSignal): Promise<void>;
}
