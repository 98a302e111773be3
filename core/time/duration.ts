import type { Milliseconds } from '../loop/clock.ts';

const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Reads a duration with its unit: `500ms`, `45s`, `15m`, `12h`, `90d`. @returns undefined for anything else. */
export function parseDuration(text: string): Milliseconds | undefined {
  const [, amount, unit] = /^(0|[1-9]\d{0,9})(ms|s|m|h|d)$/.exec(text) ?? [];
  return unit === undefined ? undefined : Number(amount) * units[unit as keyof typeof units];
}
