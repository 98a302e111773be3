import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '@horarium/core';

/** The time of this machine, moved on at will: it runs, but a test need not wait for a token to expire. */
export class MovableClock implements Clock {
  #ahead = 0;

  now(): number {
    return Date.now() + this.#ahead;
  }

  elapsed(): number {
    return performance.now() + this.#ahead;
  }

  async sleep(duration: number, signal?: AbortSignal): Promise<void> {
    await wait(duration, undefined, signal ? { signal } : {}).catch(() => undefined);
  }

  advance(duration: number): void {
    this.#ahead += duration;
  }
}
