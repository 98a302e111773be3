const second = 1;
const [minute, hour, day] = [60 * second, 3600 * second, 86_400 * second];

/** Seconds in each unit of a time span: systemd.time(7). */
const units: Readonly<Record<string, number>> = Object.fromEntries(
  (
    [
      [1e-6, 'us usec'],
      [1e-3, 'ms msec'],
      [second, 's sec second seconds'],
      [minute, 'm min minute minutes'],
      [hour, 'h hr hour hours'],
      [day, 'd day days'],
      [7 * day, 'w week weeks'],
      [30.44 * day, 'M month months'],
      [365.25 * day, 'y year years'],
    ] as const
  ).flatMap(([seconds, names]) => names.split(' ').map((name) => [name, seconds])),
);

/** Reads a time span such as `1h 30min`. @returns whole seconds; null for `infinity`. @throws Error for anything else. */
export function readSpan(text: string): number | null {
  if (text === 'infinity') return null;
  const parts = [...text.matchAll(/\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)/g)];
  const total = parts.reduce(
    (sum, [, number, unit = '']) => sum + Number(number) * (unit === '' ? 1 : (units[unit] ?? NaN)),
    0,
  );
  if (parts.map(([found]) => found).join('') !== text.trimEnd() || Number.isNaN(total) || parts.length === 0)
    throw new Error(`“${text}” is no span of time`);
  return Math.round(total);
}
