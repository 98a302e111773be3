import { errorMessage, HorariumError } from '../errors.ts';
import { completeOptions } from '../records/plugin-options.ts';
import { missingExtension } from '../registry/missing-extension.ts';
import type { CalendarRuleSchemas } from '../resource/record-services.ts';
import { day } from '../time/duration.ts';
import type { WallTime } from '../time/zone.ts';

/** The weekdays as calendars name them. 1 January 1970 was a Thursday. */
export const weekdays = ['thursday', 'friday', 'saturday', 'sunday', 'monday', 'tuesday', 'wednesday'] as const;

/** A local date, counted in days from 1970-01-01 on. */
export type DayNumber = number;

/** Days in a row, each a date such as `2026-12-24`. */
export interface DateRange {
  readonly date: string;
  /** The last of them. @default there is one day */
  readonly to?: string | undefined;
  /** What people call them. @default none */
  readonly name?: string | undefined;
}

/** The fields of a calendar that say which days are off. */
export interface DaysOffDefinition {
  readonly name: string;
  readonly weekdays: readonly string[];
  readonly dates: readonly DateRange[];
  readonly working_dates: readonly DateRange[];
  readonly rules: readonly { readonly rule: string; readonly [option: string]: unknown }[];
}

/** How many days in a row may be off: a calendar with a longer span has no working day after it. */
const maxInRow = 1100;

/** Returns the day of a local time. */
export function dayOf(wall: WallTime): DayNumber {
  return Math.floor(wall / day);
}

/** Formats a day as its date: `2026-12-24`. */
export function formatDay(number: DayNumber): string {
  return new Date(number * day).toISOString().slice(0, 10);
}

/** Reads a date such as `2026-12-24`; undefined for a text that is none, or a day that does not exist. */
export function parseDay(text: string): DayNumber | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
  const time = Date.parse(`${text}T00:00:00Z`);
  return Number.isNaN(time) || formatDay(time / day) !== text ? undefined : time / day;
}

/** Knows which days of a calendar are off, and why. Days of work win over all else. */
export class DaysOff {
  readonly definition: DaysOffDefinition;
  readonly #rules: CalendarRuleSchemas;
  readonly #weekdays: ReadonlySet<string>;
  readonly #working: ReadonlyMap<DayNumber, string>;
  readonly #dates: ReadonlyMap<DayNumber, string>;
  /** The days of the years that were asked for, by the rules. */
  readonly #years = new Map<number, ReadonlyMap<DayNumber, string>>();

  constructor(definition: DaysOffDefinition, rules: CalendarRuleSchemas) {
    this.definition = definition;
    this.#rules = rules;
    this.#weekdays = new Set(definition.weekdays);
    this.#working = daysIn(definition.working_dates);
    this.#dates = daysIn(definition.dates);
  }

  /** What people call the calendar. */
  get name(): string {
    return this.definition.name;
  }

  /**
   * Returns why a day is off: its name, such as `Christmas Eve` or `Saturday`; null = it is a working day.
   * @throws HorariumError `unavailable` where a rule cannot say which days are off.
   */
  reasonFor(number: DayNumber): string | null {
    if (this.#working.has(number)) return null;
    const weekday = weekdays[((number % 7) + 7) % 7] as string;
    const weekly = this.#weekdays.has(weekday) ? `${weekday.charAt(0).toUpperCase()}${weekday.slice(1)}` : null;
    return this.#dates.get(number) ?? this.#byRules(number) ?? weekly;
  }

  /** Returns the first working day at or after a day; null = none follows. */
  workingDayFrom(number: DayNumber): DayNumber | null {
    return this.#search(number, 1);
  }

  /** Returns the last working day at or before a day; null = there was none. */
  workingDayUpTo(number: DayNumber): DayNumber | null {
    return this.#search(number, -1);
  }

  #search(number: DayNumber, step: 1 | -1): DayNumber | null {
    for (let at = number, steps = 0; steps < maxInRow; at += step, steps += 1)
      if (this.reasonFor(at) === null) return at;
    return null;
  }

  #byRules(number: DayNumber): string | undefined {
    if (this.definition.rules.length === 0) return undefined;
    const year = new Date(number * day).getUTCFullYear();
    let days = this.#years.get(year);
    if (!days) {
      days = this.#daysOfYear(year);
      this.#years.set(year, days);
    }
    return days.get(number);
  }

  #daysOfYear(year: number): ReadonlyMap<DayNumber, string> {
    const days = new Map<DayNumber, string>();
    for (const { rule: name, ...options } of this.definition.rules) {
      const rule = this.#rules.get(name);
      const failure = (why: string) =>
        new HorariumError('unavailable', `The days off of the calendar ${this.name} in ${year} are not known: ${why}.`);
      if (!rule) throw failure(missingExtension('calendar rule', name, this.#rules.keys()));
      try {
        for (const { date, name: called } of rule.daysOff(completeOptions(rule.options, options), year)) {
          const number = parseDay(date);
          if (number === undefined) throw new Error(`its rule ${name} says "${date}", which is no date`);
          if (!days.has(number)) days.set(number, called);
        }
      } catch (error) {
        throw failure(errorMessage(error));
      }
    }
    return days;
  }
}

function daysIn(ranges: readonly DateRange[]): ReadonlyMap<DayNumber, string> {
  const days = new Map<DayNumber, string>();
  for (const { date, to = date, name = 'day off' } of ranges) {
    const last = parseDay(to) ?? -Infinity;
    for (let number = parseDay(date) ?? Infinity; number <= last; number += 1) days.set(number, name);
  }
  return days;
}
