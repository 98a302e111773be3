import type { Instant, Milliseconds } from '../loop/clock.ts';
import { nearestInstant } from './instant.ts';

/** The growth of the delay before the next attempt. */
export const backoffs = ['none', 'fixed', 'linear', 'exponential'] as const;

export type Backoff = (typeof backoffs)[number];

/** The fields of a run template that determine the delay before the next attempt. */
export interface RetryRule {
  readonly retry_backoff: Backoff;
  /** Seconds. */
  readonly retry_delay: number;
  /** Seconds; null = no cap. */
  readonly retry_max_delay: number | null;
}

/** Returns the delay after attempt n, which is 1 for the first: none, d, n × d, or d × 2^(n−1), up to the cap. */
export function retryDelay(rule: RetryRule, attempts: number): Milliseconds {
  const cap = rule.retry_max_delay ?? Infinity;
  return Math.min(rule.retry_delay * factor(rule.retry_backoff, Math.max(1, attempts)), cap) * 1000;
}

/**
 * Returns the earliest start of the next attempt; the last possible instant where that is later.
 * @param attempts the number of attempts so far; the last one ended at `finishedAt`
 */
export function retryAt(rule: RetryRule, attempts: number, finishedAt: Instant): Instant {
  return nearestInstant(finishedAt + retryDelay(rule, attempts));
}

// 2^1000 exceeds every cap, and times zero it is zero, which infinity is not.
function factor(backoff: Backoff, attempts: number): number {
  if (backoff === 'none') return 0;
  if (backoff === 'fixed') return 1;
  return backoff === 'linear' ? attempts : 2 ** Math.min(attempts - 1, 1000);
}
