import { day } from './duration.ts';
import type { WallTime } from './zone.ts';

export type Period = 'daily' | 'weekly' | 'monthly' | 'yearly';

/** The first Monday of 1970, from which all others are whole weeks apart. */
const aMonday = 4 * day;

/** Returns the local time at which the calendar period that contains a local time starts. */
export function periodStart(period: Period, wall: WallTime): WallTime {
  if (period === 'daily') return floor(wall, day);
  if (period === 'weekly') return floor(wall - aMonday, 7 * day) + aMonday;
  const date = new Date(wall);
  return firstOf(date.getUTCFullYear(), period === 'monthly' ? date.getUTCMonth() : 0);
}

/** Returns the local time at which the next calendar period starts, given the start of one. */
export function nextPeriodStart(period: Period, start: WallTime): WallTime {
  if (period === 'daily') return start + day;
  if (period === 'weekly') return start + 7 * day;
  const date = new Date(start);
  return period === 'monthly'
    ? firstOf(date.getUTCFullYear(), date.getUTCMonth() + 1)
    : firstOf(date.getUTCFullYear() + 1, 0);
}

// Date.UTC would read the years 0 to 99 as 1900 to 1999.
function firstOf(year: number, month: number): WallTime {
  return new Date(0).setUTCFullYear(year, month, 1);
}

function floor(value: number, unit: number): number {
  return Math.floor(value / unit) * unit;
}
