import type { Clock } from '@horarium/core';

/** A clock that stands at an instant until the test sets another one; sleeping takes no time. */
export class StandingClock implements Clock {
  at = Date.UTC(2026, 10, 21);

  now(): number {
    return this.at;
  }

  elapsed(): number {
    return this.at;
  }

  async sleep(): Promise<void> {}
}
