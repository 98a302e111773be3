import { setTimeout as pause } from 'node:timers/promises';

type Truthy<T> = Exclude<T, false | null | undefined | 0 | ''>;

/** The shortest and the longest wait between two polls, in milliseconds. */
const waits = { min: 20, max: 500 };

/**
 * Polls a condition until it is truthy, and returns it. The timeout is long, because tests run on busy machines. A condition
 * that takes long to ask for, such as by a command, or to come true is polled less often, so that polling does not keep the
 * machine from what it waits for.
 */
export async function eventually<T>(
  what: string,
  condition: () => T | Promise<T>,
  timeout = 100_000,
): Promise<Truthy<T>> {
  const begin = performance.now();
  for (;;) {
    const asked = performance.now();
    const found = await condition();
    if (found) return found as Truthy<T>;
    const now = performance.now();
    if (now - begin > timeout) throw new Error(`It did not happen within ${timeout} ms: ${what}.`);
    const wait = Math.max(9 * (now - asked), (now - begin) / 10);
    await pause(Math.min(Math.max(wait, waits.min), waits.max));
  }
}
