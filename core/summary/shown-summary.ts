import { formatInstant } from '../time/instant.ts';
import type { Summary } from './summary.ts';

const instants = new Set([
  'time',
  'from',
  'to',
  'at',
  'since',
  'window_start',
  'deadline',
  'starts_at',
  'until',
  'recovered_at',
]);

/** Returns a summary as channels show it: with its times as texts. */
export function shownSummary({ problems, pauses, next, ...summary }: Summary): Readonly<Record<string, unknown>> {
  return {
    ...withTimes(summary),
    next: next && withTimes(next),
    pauses: pauses.map(withTimes),
    problems: problems.map(withTimes),
  };
}

function withTimes(value: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      instants.has(name) && typeof each === 'number' ? formatInstant(each) : each,
    ]),
  );
}
