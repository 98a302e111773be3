import { dayText, monthText, shortDayText, timeText } from '../../parts/times.ts';
import type { View } from '../view.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** The steps between lines, in minutes: those of a day or more are on days of the reader's clock. */
const steps = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440, 2880, 10_080, 20_160, 43_200] as const;
/** How far apart the texts are at least, in CSS pixels. */
const apart = 58;

/** A line across the picture, with what stands above it. */
export interface Tick {
  readonly at: number;
  readonly text: string;
  /** Whether a day begins there, where the lines are times of a day. */
  readonly isDay: boolean;
}

/** What stands above the lines: the day, or the month where the lines are days. The first one holds at the left edge. */
export interface AxisHead {
  readonly at: number;
  readonly text: string;
}

export interface Axis {
  readonly ticks: readonly Tick[];
  readonly heads: readonly AxisHead[];
}

/** Returns the lines of a view by the reader's clock, oldest first. @param width in CSS pixels. */
export function axisOf({ from, span }: View, width: number): Axis {
  const to = from + span;
  const wanted = (span / Math.max(1, width)) * apart;
  const step = steps.find((minutes) => minutes * minute >= wanted) ?? 43_200;
  if (step >= 1440) {
    const ticks = daysBetween(from, to, step / 1440).map((at) => ({ at, text: shortDayText(at), isDay: false }));
    return { ticks, heads: [from, ...monthsBetween(from, to)].map((at) => ({ at, text: monthText(at) })) };
  }
  const ticks = timesBetween(from, to, step).map((at) => ({ at, text: timeText(at), isDay: isMidnight(at) }));
  const days = ticks.filter(({ isDay, at }) => isDay && at > from);
  return { ticks, heads: [from, ...days.map(({ at }) => at)].map((at) => ({ at, text: dayText(at) })) };
}

function isMidnight(at: number): boolean {
  return new Date(at).setHours(0, 0, 0, 0) === at;
}

function monthsBetween(from: number, to: number): number[] {
  const months: number[] = [];
  const date = new Date(new Date(from).setHours(0, 0, 0, 0));
  for (date.setDate(1); date.getTime() < to; date.setMonth(date.getMonth() + 1))
    if (date.getTime() > from) months.push(date.getTime());
  return months;
}

function timesBetween(from: number, to: number, step: number): number[] {
  const times: number[] = [];
  const date = new Date(from);
  // Each day begins at its midnight: an hour that the clock skips or repeats moves no line after it.
  for (date.setHours(0, 0, 0, 0); date.getTime() < to; date.setDate(date.getDate() + 1)) {
    for (let minutes = 0; minutes < 1440; minutes += step) {
      const at = new Date(date).setMinutes(minutes);
      if (at >= from && at < to && at > (times.at(-1) ?? 0)) times.push(at);
    }
  }
  return times;
}

function daysBetween(from: number, to: number, step: number): number[] {
  const times: number[] = [];
  const date = new Date(from);
  date.setHours(0, 0, 0, 0);
  // Weeks begin on Mondays, and steps of days where they would from the first Monday of all on.
  const days = Math.round((date.getTime() - date.getTimezoneOffset() * minute) / day) + 3;
  date.setDate(date.getDate() - (days % step));
  for (; date.getTime() < to; date.setDate(date.getDate() + step))
    if (date.getTime() >= from) times.push(date.getTime());
  return times;
}
