import { hintAfter } from '../registry/did-you-mean.ts';

/** How often a template creates a Task. `custom` follows the template's cron pattern; `none` never creates one. */
export const intervals = ['none', 'minutely', 'hourly', 'daily', 'weekly', 'monthly', 'yearly', 'custom'] as const;

export type IntervalName = (typeof intervals)[number];

/** The one-letter code of each interval, which input may use instead of its name. */
const intervalCodes = {
  n: 'none',
  i: 'minutely',
  h: 'hourly',
  d: 'daily',
  w: 'weekly',
  m: 'monthly',
  y: 'yearly',
  c: 'custom',
} as const satisfies Readonly<Record<string, IntervalName>>;

export type IntervalCode = keyof typeof intervalCodes;

/**
 * Reads the name of an interval or its one-letter code.
 * @throws Error that lists the names and the codes.
 */
export function parseInterval(input: unknown): IntervalName {
  const name = intervals.find((interval) => interval === input);
  if (name) return name;
  if (typeof input === 'string' && Object.hasOwn(intervalCodes, input)) return intervalCodes[input as IntervalCode];
  const hint = typeof input === 'string' ? hintAfter(input, intervals) : '';
  throw new Error(
    `must be one of ${intervals.join(', ')} or one of the letters ${Object.keys(intervalCodes).join(' ')}${hint}`,
  );
}
