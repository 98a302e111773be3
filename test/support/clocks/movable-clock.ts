import type { Clock, Instant, Milliseconds } from '@horarium/core';
import { systemClock } from '@horarium/core';

/** The clock of the machine, which a test advances at will, so that it need not wait for a token to expire. */
export class MovableClock implements Clock {
  #ahead = 0;

  now(): Instant {
    return systemClock.now() + this.#ahead;
  }

  elapsed(): Milliseconds {
    return systemClock.elapsed() + this.#ahead;
  }

  uptime(): Milliseconds {
    return systemClock.uptime() + this.#ahead;
  }

  readonly boot = null;

  sleep(duration: Milliseconds, signal?: AbortSignal): Promise<void> {
    return systemClock.sleep(duration, signal);
  }

  advance(duration: Milliseconds): void {
    this.#ahead += duration;
  }
}
