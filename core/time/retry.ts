import type { Instant, Milliseconds } from '../loop/clock.ts';
import { nearestInstant } from './instant.ts';

/** How the waits between attempts grow. */
export const backoffs = ['none', 'fixed', 'linear', 'exponential'] as const;

export type Backoff = (typeof backoffs)[number];

/** The part of a run template that says how long to wait before the next attempt. */
export interface RetryRule {
  readonly retry_backoff: Backoff;
  /** Seconds. */
  readonly retry_delay: number;
  /** Seconds; null means that nothing caps the wait. */
  readonly retry_max_delay: number | null;
}

/** How long to wait after attempt n, which is 1 for the first: at once, d, n × d, or d × 2^(n−1), under the cap. */
export function retryDelay(rule: RetryRule, attempts: number): Milliseconds {
  const cap = rule.retry_max_delay ?? Infinity;
  return Math.min(rule.retry_delay * factor(rule.retry_backoff, Math.max(1, attempts)), cap) * 1000;
}

/** When the attempt after attempt n may start, given when that one finished; at the end of time where it means never. */
export function retryAt(rule: RetryRule, attempts: number, finishedAt: Instant): Instant {
  return nearestInstant(finishedAt + retryDelay(rule, attempts));
}

// 2^1000 times anything is beyond every cap, and times zero it still is zero, which infinity is not.
function factor(backoff: Backoff, attempts: number): number {
  if (backoff === 'none') return 0;
  if (backoff === 'fixed') return 1;
  return backoff === 'linear' ? attempts : 2 ** Math.min(attempts - 1, 1000);
}
