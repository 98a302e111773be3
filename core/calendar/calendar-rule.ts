import type { Fields, RowOf } from '../field/field-meta.ts';

/** One day of a calendar. */
export interface CalendarDay {
  /** A local date: `2026-12-24`. */
  readonly date: string;
  /** What people call it: `Christmas Eve`. */
  readonly name: string;
}

/**
 * PORT: a kind of rule that says which days of a calendar are off: a recurrence, or the public holidays of a country. It is
 * asked while windows are planned, so it answers at once, from memory, and always the same.
 */
export interface CalendarRule<F extends Fields = Fields> {
  readonly name: string;
  /** The options of one use of it in a calendar, described with the same field helpers as records. */
  readonly options: F;
  /** Returns why it cannot be used with such options: the end of a sentence. @default it can */
  refuse?(options: Readonly<RowOf<F>>): string | null;
  /**
   * Lists the days of a year that are off, in any order. The options are complete and validated. Each year is asked for
   * once, as long as the calendar does not change.
   * @throws Error whose message says why they are not known: no window of the year can be planned then.
   */
  daysOff(options: Readonly<RowOf<F>>, year: number): readonly CalendarDay[];
}

/** A rule with any options. */
// biome-ignore lint/suspicious/noExplicitAny: CalendarRule is invariant in its options, so only any accepts every rule.
export type AnyCalendarRule = CalendarRule<any>;

/** Returns the rule unchanged; lets the compiler infer the type of its options. */
export function defineCalendarRule<const F extends Fields>(rule: CalendarRule<F>): CalendarRule<F> {
  return rule;
}
