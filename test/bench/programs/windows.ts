import { type Cadence, type IntervalName, windowAfter, windowAtOrAfter, windows } from '@horarium/core';
import { Temporal } from 'temporal-polyfill';
import type { Report } from '../results.ts';

export const name = 'time to the next window';

const from = Date.UTC(2026, 10, 21);
const thirtyDays = 30 * 86_400_000;
const tenYears = 3652 * 86_400_000;
const zones = Intl.supportedValuesOf('timeZone');
const patterns = ['*/5 * * * *', '30 2 * * *', '0 9-17 * * 1-5', '0 0 L * *', '15,45 6,18 1,15 * *', '30 0 0 29 2 *'];

const cadence = (interval: IntervalName, timezone: string, cron: string | null = null): Cadence => ({
  interval,
  timezone,
  cron,
});

function microseconds(times: number, work: (turn: number) => void): number {
  const start = performance.now();
  for (let turn = 0; turn < times; turn++) work(turn);
  return ((performance.now() - start) * 1000) / times;
}

/** The mean time to the next window, over all zones and a hundred windows each, within ten years. */
function nextWindow(interval: IntervalName, cron: string | null = null): number {
  const walks = zones.map((zone) => cadence(interval, zone, cron));
  const firsts = walks.map((walk) => windowAtOrAfter(walk, from));
  const current = [...firsts];
  return microseconds(walks.length * 100, (turn) => {
    const at = turn % walks.length;
    const window = current[at];
    const next = window && windowAfter(walks[at] as Cadence, window);
    current[at] = next && next.start < from + tenYears ? next : (firsts[at] ?? null);
  });
}

/** Measures the computation of windows: each cadence, a cold zone, and a month of a thousand hourly templates. */
export async function run(report: Report): Promise<void> {
  const cold = microseconds(zones.length, (turn) => {
    windowAtOrAfter(cadence('daily', zones[turn] as string), from);
  });
  report.figure('first window in a cold zone', cold, 'µs');
  const intervals: IntervalName[] = ['minutely', 'hourly', 'daily', 'weekly', 'monthly', 'yearly'];
  const limit = { max: 50 };
  for (const interval of intervals) report.figure(`next window, ${interval}`, nextWindow(interval), 'µs', limit);
  for (const pattern of patterns)
    report.figure(`next window, custom ${pattern}`, nextWindow('custom', pattern), 'µs', limit);

  const step = { hours: 1 };
  let moment = Temporal.Instant.fromEpochMilliseconds(from).toZonedDateTimeISO('Europe/Prague');
  const temporal = microseconds(10_000, () => {
    moment = moment.add(step);
  });
  report.figure('baseline: Temporal adds an hour', temporal, 'µs');

  let count = 0;
  const start = performance.now();
  for (let template = 0; template < 1000; template++)
    for (const window of windows(cadence('hourly', zones[template % zones.length] as string), from, from + thirtyDays))
      if (window.end > window.start) count++;
  report.figure(`${count} windows of 1,000 hourly templates`, performance.now() - start, 'ms');
}
