import { relativeText } from '../parts/times.ts';

const minute = 60_000;

/** Writes in how much time a run starts: by the second within two minutes alone, so that a list of runs stays calm. */
export function startText(at: number, now: number): string {
  const ahead = Math.max(0, at - now);
  return relativeText(ahead < 2 * minute ? now + ahead : now + Math.round(ahead / minute) * minute, now);
}
