import type { Clock, Milliseconds } from './clock.ts';

/** The maximum delay of a timer of Node, which fires at once for a longer one. */
const maxDelay: Milliseconds = 2 ** 31 - 1;

/**
 * Tells the time of this machine, but not when it was booted: `nodeClock` of `@horarium/core/node` does. A sleep keeps the
 * process from ending.
 */
export const systemClock: Clock = {
  now: () => Date.now(),

  elapsed: () => performance.now(),

  uptime: () => performance.now(),

  boot: null,

  sleep: (duration, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const wakeTime = performance.now() + duration;
      let timer: ReturnType<typeof setTimeout>;
      const finish = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', finish);
        resolve();
      };
      // The remaining time is checked again, because a timer may fire a fraction of a millisecond early.
      const setTimer = () => {
        const remaining = wakeTime - performance.now();
        if (remaining <= 0) return finish();
        timer = setTimeout(setTimer, Math.min(Math.ceil(remaining), maxDelay));
      };
      signal?.addEventListener('abort', finish, { once: true });
      setTimer();
    }),
};
