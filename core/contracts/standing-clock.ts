import type { Clock, Instant, Milliseconds } from '../loop/clock.ts';

/** A clock that stands at an instant until a check sets another one; sleeping takes no time. */
export class StandingClock implements Clock {
  at: Instant = Date.UTC(2026, 10, 21);

  now(): Instant {
    return this.at;
  }

  elapsed(): Milliseconds {
    return this.at;
  }

  uptime(): Milliseconds {
    return this.at;
  }

  readonly boot = null;

  async sleep(): Promise<void> {}
}
