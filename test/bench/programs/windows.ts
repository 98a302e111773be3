import { Temporal } from 'temporal-polyfill';
import type { Cadence } from '#core/time/cadence';
import type { IntervalName } from '#core/time/interval';
import { windowAfter, windowAtOrAfter, windows } from '#core/time/windows';
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

/** Returns the mean duration of an iteration, in microseconds. */
function meanDuration(count: number, work: (iteration: number) => void): number {
  const start = performance.now();
  for (let iteration = 0; iteration < count; iteration++) work(iteration);
  return ((performance.now() - start) * 1000) / count;
}

/** Returns the mean time to the next window, over all zones and a hundred windows each, within ten years. */
function nextWindow(interval: IntervalName, cron: string | null = null): number {
  const cadences = zones.map((zone) => cadence(interval, zone, cron));
  const firstWindows = cadences.map((each) => windowAtOrAfter(each, from));
  const current = [...firstWindows];
  return meanDuration(cadences.length * 100, (iteration) => {
    const index = iteration % cadences.length;
    const window = current[index];
    const next = window && windowAfter(cadences[index] as Cadence, window);
    current[index] = next && next.start < from + tenYears ? next : (firstWindows[index] ?? null);
  });
}

/** Measures the computation of windows: each cadence, a cold zone, and a month of a thousand hourly templates. */
export async function run(report: Report): Promise<void> {
  const cold = meanDuration(zones.length, (iteration) => {
    windowAtOrAfter(cadence('daily', zones[iteration] as string), from);
  });
  report.figure('first window in a cold zone', cold, 'µs');
  const intervals: IntervalName[] = ['minutely', 'hourly', 'daily', 'weekly', 'monthly', 'yearly'];
  const limit = { max: 50 };
  for (const interval of intervals) report.figure(`next window, ${interval}`, nextWindow(interval), 'µs', limit);
  for (const pattern of patterns)
    report.figure(`next window, custom ${pattern}`, nextWindow('custom', pattern), 'µs', limit);

  const step = { hours: 1 };
  let moment = Temporal.Instant.fromEpochMilliseconds(from).toZonedDateTimeISO('Europe/Prague');
  const baseline = meanDuration(10_000, () => {
    moment = moment.add(step);
  });
  report.figure('baseline: Temporal adds an hour', baseline, 'µs');

  let count = 0;
  const start = performance.now();
  for (let template = 0; template < 1000; template++)
    for (const window of windows(cadence('hourly', zones[template % zones.length] as string), from, from + thirtyDays))
      if (window.end > window.start) count++;
  report.figure(`${count} windows of 1,000 hourly templates`, performance.now() - start, 'ms');
}
