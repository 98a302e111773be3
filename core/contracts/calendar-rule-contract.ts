import type { AnyCalendarRule, CalendarDay } from '../calendar/calendar-rule.ts';
import { parseDay } from '../calendar/days-off.ts';
import type { FieldError } from '../errors.ts';
import { completeOptions, type Options, readOptions } from '../records/plugin-options.ts';
import { assertEqual } from './assertions.ts';
import { assert, type Clause, clauseList } from './clause.ts';

/** What the suite of a calendar rule asks it. */
export interface CalendarRuleFixture {
  /** Options with which it has days off in `year`. */
  readonly options: Options;
  /** A year in which it has days off. */
  readonly year: number;
  /** Options that it must refuse although they are valid fields. @default none */
  readonly refused?: readonly Options[];
}

/**
 * The contract of every calendar rule, clause by clause:
 * `for (const { title, check } of calendarRuleContract(mine, { options, year: 2026 })) it(title, check)`.
 */
export function calendarRuleContract(rule: AnyCalendarRule, fixture: CalendarRuleFixture): readonly Clause[] {
  const { clauses, clause } = clauseList();
  const complete = (options: Options) => completeOptions(rule.options, options);
  const daysIn = (year: number): readonly CalendarDay[] => rule.daysOff(complete(fixture.options), year);

  clause('describes the options with which it is used', () => {
    const errors: FieldError[] = [];
    readOptions(['rule'], rule.options, fixture.options, `the calendar rule ${rule.name}`, errors);
    assertEqual(errors, [], 'The list of errors of its options');
    const refusal = rule.refuse?.(complete(fixture.options)) ?? null;
    assertEqual(refusal, null, 'What it refuses of its options');
  });

  clause('lists days of the year that it is asked for, each by its date and a name', () => {
    const days = daysIn(fixture.year);
    assert(days.length > 0, `It must have a day off in ${fixture.year}`);
    for (const { date, name } of days) {
      assert(parseDay(date) !== undefined, 'A day must be a date such as 2026-12-24', date);
      assert(date.startsWith(`${fixture.year}-`), `A day must lie in ${fixture.year}`, date);
      assert(name.trim() !== '', 'A day must have a name', date);
    }
  });

  clause('lists each day once', () => {
    const dates = daysIn(fixture.year).map(({ date }) => date);
    assertEqual([...new Set(dates)], dates, 'The list of its dates');
  });

  clause('answers for years far away, with days or without', () => {
    for (const year of [1970, 2100])
      for (const { date } of daysIn(year)) assert(date.startsWith(`${year}-`), `A day must lie in ${year}`, date);
  });

  clause('gives the same answer each time, whatever it was asked before', () => {
    const first = daysIn(fixture.year);
    daysIn(fixture.year + 1);
    assertEqual(daysIn(fixture.year), first, 'The second answer');
  });

  for (const options of fixture.refused ?? [])
    clause(`refuses ${JSON.stringify(options)} with the end of a sentence`, () => {
      const refusal = rule.refuse?.(complete(options)) ?? null;
      assert(refusal !== null, 'It must refuse such options');
      assert(
        /^[a-z]/.test(refusal) && !refusal.endsWith('.'),
        'It must be the end of a sentence, without a full stop',
        refusal,
      );
    });
  return clauses;
}
