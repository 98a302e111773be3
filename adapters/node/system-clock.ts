import type { Clock, Instant, Milliseconds } from '@horarium/core';

/** The longest delay that a timer of Node keeps; it fires at once for a longer one. */
const longest: Milliseconds = 2 ** 31 - 1;

/** The time of this machine. */
class SystemClock implements Clock {
  readonly #keepsAlive: boolean;

  constructor(keepsAlive: boolean) {
    this.#keepsAlive = keepsAlive;
  }

  now(): Instant {
    return Date.now();
  }

  elapsed(): Milliseconds {
    return performance.now();
  }

  sleep(duration: Milliseconds, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const until = performance.now() + duration;
      let timer: NodeJS.Timeout;
      const end = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', end);
        resolve();
      };
      // A timer may fire a fraction of a millisecond early by this stopwatch, so it looks again.
      const wait = () => {
        const left = until - performance.now();
        if (left <= 0) return end();
        timer = setTimeout(wait, Math.min(Math.ceil(left), longest));
        if (!this.#keepsAlive) timer.unref();
      };
      signal?.addEventListener('abort', end, { once: true });
      wait();
    });
  }
}

export const systemClock: Clock = new SystemClock(true);

/** The same clock, but a sleep does not keep the process from ending by itself. */
export const idleClock: Clock = new SystemClock(false);
