import type { Milliseconds } from '../loop/clock.ts';

export const second: Milliseconds = 1000;
export const minute: Milliseconds = 60 * second;
export const hour: Milliseconds = 60 * minute;
/** The length of a day without a clock change. */
export const day: Milliseconds = 24 * hour;

const units = { ms: 1, s: second, m: minute, h: hour, d: day } as const;

/** Reads a duration with its unit: `500ms`, `45s`, `15m`, `12h`, `90d`. @returns undefined for anything else. */
export function parseDuration(text: string): Milliseconds | undefined {
  const [, amount, unit] = /^(0|[1-9]\d{0,9})(ms|s|m|h|d)$/.exec(text) ?? [];
  return unit === undefined ? undefined : Number(amount) * units[unit as keyof typeof units];
}
