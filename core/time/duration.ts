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

/** Writes a whole number of seconds as `parseDuration` reads it, in the largest unit that needs no fraction: `90s`, `5m`, `2h`, `1d`. */
export function writeSeconds(seconds: number): string {
  const unit = (['d', 'h', 'm'] as const).find((each) => seconds > 0 && (seconds * second) % units[each] === 0) ?? 's';
  return `${(seconds * second) / units[unit]}${unit}`;
}

const written = [
  ['d', day],
  ['h', hour],
  ['min', minute],
  ['s', second],
] as const;

/** Describes a duration for people by its two largest units: `3 d 4 h`, `1 h 20 min`, `45 s`; under a second `0 s`. */
export function describeDuration(duration: Milliseconds): string {
  const first = written.findIndex(([, length]) => duration >= length);
  let rest = duration;
  const parts = written
    .slice(first === -1 ? -1 : first)
    .slice(0, 2)
    .map(([unit, length]) => {
      const amount = Math.floor(rest / length);
      rest -= amount * length;
      return { amount, unit };
    });
  return parts
    .filter(({ amount }, index) => index === 0 || amount > 0)
    .map(({ amount, unit }) => `${amount} ${unit}`)
    .join(' ');
}
