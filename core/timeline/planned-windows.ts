import { type OwedCadence, owedWindows } from '../calendar/owed-windows.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import { LruCache } from '../registry/lru-cache.ts';
import { unlessUnplannable } from '../scheduler/due-windows.ts';
import { hour } from '../time/duration.ts';
import type { TimeRange } from '../time/local-time.ts';

/** The windows of a cadence that start in a range. */
export interface PlannedWindows extends TimeRange {
  /** When each begins and ends: the start of the first one, its end, the start of the second one, and so on. */
  readonly times: Float64Array;
  /** Whether there are no more; else these are the first ones, as many as were asked for. */
  readonly complete: boolean;
}

/** How many windows of all cadences are cached: 16 bytes each. */
const maxCached = 200_000;
/** How much further than asked for is planned, so that what is asked for a moment later is there. */
const ahead = hour;

/** The windows that were planned last, by the days off that their cadences follow, and by cadence. */
const caches = new WeakMap<object, LruCache<PlannedWindows>>();
const noDaysOff = {};

/**
 * Plans the windows of a cadence that start in a range. A page asks for the same ones each second, and planning a cadence of
 * seconds takes longer than reading all else: what follows from a cadence alone is kept.
 * @param max how many are planned at most.
 */
export async function plannedWindows(cadence: OwedCadence, range: TimeRange, max: number): Promise<PlannedWindows> {
  const { interval, cron, timezone, day_off, daysOff } = cadence;
  const owner = daysOff ?? noDaysOff;
  const cache = caches.get(owner) ?? new LruCache<PlannedWindows>(maxCached);
  caches.set(owner, cache);
  const key = JSON.stringify([interval, cron, timezone, day_off]);
  const known = cache.get(key);
  const isEnough = known && (known.complete || known.times.length >= 2 * max);
  if (isEnough && known.from <= range.from && known.to >= range.to) return known;
  const found = await plan(cadence, { from: range.from, to: range.to + ahead }, max);
  cache.set(key, found, found.times.length / 2 + 1);
  return found;
}

async function plan(cadence: OwedCadence, range: TimeRange, max: number): Promise<PlannedWindows> {
  const windows = owedWindows(cadence, range.from, range.to);
  const times: number[] = [];
  // Without the days off of its calendar a template gets no Tasks.
  const next = () => unlessUnplannable(() => windows.next(), { done: true, value: undefined } as const);
  for (let each = next(); !each.done; each = next()) {
    await yieldToEventLoop();
    if (times.length >= 2 * max) return { ...range, times: Float64Array.from(times), complete: false };
    times.push(each.value.start, each.value.end);
  }
  return { ...range, times: Float64Array.from(times), complete: true };
}
