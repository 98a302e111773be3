import { HorariumError } from '../errors.ts';
import type { Milliseconds } from '../loop/clock.ts';

const units = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
/** A hundred years: further away than any token should live, near enough for every database's dates. */
const longest = 36_525 * units.d;

/**
 * How long something lives: `45s`, `15m`, `12h`, `90d`, or `never`.
 * @returns null for `never`.
 * @throws HorariumError `invalid` for anything else.
 */
export function parseTtl(text: string): Milliseconds | null {
  if (text === 'never') return null;
  const [, amount, unit] = /^([1-9]\d{0,9})([smhd])$/.exec(text) ?? [];
  const ttl = Number(amount) * units[unit as keyof typeof units];
  if (amount === undefined || ttl > longest)
    throw new HorariumError('invalid', `A time to live is written 45s, 15m, 12h, 90d or never, not "${text}".`);
  return ttl;
}
