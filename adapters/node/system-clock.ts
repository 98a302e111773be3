import type { Clock, Milliseconds } from '@horarium/core';

/** The longest delay that a timer of Node keeps; it fires at once for a longer one. */
const longest: Milliseconds = 2 ** 31 - 1;

/** The time of this machine. A sleep keeps the process from ending. */
export const systemClock: Clock = {
  now: () => Date.now(),

  elapsed: () => performance.now(),

  sleep: (duration, signal) =>
    new Promise((resolve) => {
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
      };
      signal?.addEventListener('abort', end, { once: true });
      wait();
    }),
};
