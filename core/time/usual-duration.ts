import type { Milliseconds } from '../loop/clock.ts';

/** How long something usually takes, as a smoothed mean and a smoothed deviation from it, in whole milliseconds. */
export interface UsualDuration {
  readonly mean: Milliseconds;
  readonly deviation: Milliseconds;
}

/**
 * Smooths a further duration into the usual one, by the estimator of RFC 6298 section 2: the mean moves by an eighth of
 * the difference and the deviation by a quarter, so that a single odd one hardly changes either.
 * @param usual null = this one is the first.
 */
export function smoothedDuration(usual: UsualDuration | null, duration: Milliseconds): UsualDuration {
  if (!usual) return { mean: duration, deviation: Math.round(duration / 2) };
  const difference = duration - usual.mean;
  return {
    mean: Math.round(usual.mean + difference / 8),
    deviation: Math.round(usual.deviation + (Math.abs(difference) - usual.deviation) / 4),
  };
}
