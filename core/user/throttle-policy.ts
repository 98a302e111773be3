import type { Milliseconds } from '../loop/clock.ts';

/** How patiently wrong guesses are met. */
export interface ThrottlePolicy {
  /** So many are free: people mistype. */
  readonly free: number;
  /** After the first one more. It doubles with every `every` further ones. */
  readonly first: Milliseconds;
  readonly every: number;
  readonly most: Milliseconds;
}

/**
 * One login from one address is slowed down first. A login may be guessed at from many addresses, and many people may
 * come from one: those limits come later and grow more slowly.
 */
export const throttlePolicies = {
  pair: { free: 5, first: 1000, every: 1, most: 15 * 60_000 },
  login: { free: 20, first: 1000, every: 3, most: 5 * 60_000 },
  address: { free: 50, first: 1000, every: 5, most: 5 * 60_000 },
} satisfies Record<string, ThrottlePolicy>;

/** How long no further guess is judged after so many wrong ones. */
export function throttleDelay({ free, first, every, most }: ThrottlePolicy, wrong: number): Milliseconds {
  if (wrong <= free) return 0;
  return Math.min(most, first * 2 ** Math.min(40, Math.floor((wrong - free - 1) / every)));
}
