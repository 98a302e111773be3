/** How often a template owes a Task: `none` never by itself, `custom` by a cron pattern. */
export const intervals = ['none', 'minutely', 'hourly', 'daily', 'weekly', 'monthly', 'yearly', 'custom'] as const;

export type IntervalName = (typeof intervals)[number];

/** One-letter codes that input may give in place of the names. */
export const intervalCodes: Readonly<Record<string, IntervalName>> = {
  n: 'none',
  i: 'minutely',
  h: 'hourly',
  d: 'daily',
  w: 'weekly',
  m: 'monthly',
  y: 'yearly',
  c: 'custom',
};

/**
 * Reads the name of an interval or its one-letter code.
 * @throws Error that lists the names.
 */
export function parseInterval(input: unknown): IntervalName {
  const name = intervals.find((interval) => interval === input);
  if (name) return name;
  if (typeof input === 'string' && Object.hasOwn(intervalCodes, input)) return intervalCodes[input] as IntervalName;
  throw new Error(
    `must be one of ${intervals.join(', ')} or one of the letters ${Object.keys(intervalCodes).join(' ')}`,
  );
}
