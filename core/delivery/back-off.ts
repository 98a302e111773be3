import type { Milliseconds } from '../loop/clock.ts';
import { hour, minute, second } from '../time/duration.ts';

/** How long to wait after each attempt at a delivery that failed: together a day. */
const delays: readonly Milliseconds[] = [
  5 * second,
  30 * second,
  2 * minute,
  10 * minute,
  30 * minute,
  hour,
  2 * hour,
  4 * hour,
  6 * hour,
  10 * hour,
];

/**
 * Returns how long to wait for the next attempt at a delivery; null = it has failed. Up to a tenth is added by its id, so
 * that the deliveries of one moment do not come back in one moment.
 * @param tries how many attempts have failed.
 */
export function deliveryDelay(id: number, tries: number): Milliseconds | null {
  const delay = delays[tries - 1];
  return delay === undefined ? null : delay + Math.round((delay * ((id * 37) % 100)) / 1000);
}
