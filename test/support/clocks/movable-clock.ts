import type { Clock, Instant, Milliseconds } from '@horarium/core';
import { systemClock } from '@horarium/core';

/** The clock of the machine, which a test advances at will, so that it need not wait for a token to expire. */
export class MovableClock implements Clock {
  #ahead = 0;
  #base: Pick<Clock, 'now' | 'elapsed' | 'uptime'> = systemClock;

  now(): Instant {
    return this.#base.now() + this.#ahead;
  }

  elapsed(): Milliseconds {
    return this.#base.elapsed() + this.#ahead;
  }

  uptime(): Milliseconds {
    return this.#base.uptime() + this.#ahead;
  }

  readonly boot = null;

  sleep(duration: Milliseconds, signal?: AbortSignal): Promise<void> {
    return systemClock.sleep(duration, signal);
  }

  /** Stands still from now on, unless it is advanced, however long a busy machine takes. */
  stop(): void {
    const [now, elapsed, uptime] = [systemClock.now(), systemClock.elapsed(), systemClock.uptime()];
    this.#base = { now: () => now, elapsed: () => elapsed, uptime: () => uptime };
  }

  advance(duration: Milliseconds): void {
    this.#ahead += duration;
  }
}
