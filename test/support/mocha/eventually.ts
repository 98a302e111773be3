import { setTimeout as pause } from 'node:timers/promises';

type Truthy<T> = Exclude<T, false | null | undefined | 0 | ''>;

/** Polls a condition until it is truthy, and returns it. Patient, because tests run on busy machines. */
export async function eventually<T>(
  what: string,
  condition: () => T | Promise<T>,
  patience = 45_000,
): Promise<Truthy<T>> {
  const deadline = performance.now() + patience;
  for (;;) {
    const found = await condition();
    if (found) return found as Truthy<T>;
    if (performance.now() > deadline) throw new Error(`It did not happen within ${patience} ms: ${what}.`);
    await pause(20);
  }
}
