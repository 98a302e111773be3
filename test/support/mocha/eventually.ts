import { setTimeout as pause } from 'node:timers/promises';

type Truthy<T> = Exclude<T, false | null | undefined | 0 | ''>;

/** Polls a condition until it is truthy, and returns it. The timeout is long, because tests run on busy machines. */
export async function eventually<T>(
  what: string,
  condition: () => T | Promise<T>,
  timeout = 45_000,
): Promise<Truthy<T>> {
  const deadline = performance.now() + timeout;
  for (;;) {
    const found = await condition();
    if (found) return found as Truthy<T>;
    if (performance.now() > deadline) throw new Error(`It did not happen within ${timeout} ms: ${what}.`);
    await pause(20);
  }
}
