import { createRequire } from 'node:module';
import { type CalendarDay, count, defineCalendarRule, text, texts } from '@horarium/core/plugin';

const load = createRequire(import.meta.url);

const dayLength = 86_400_000;

/** The first day of a rule without a start: a Saturday before every window that is planned. */
const defaultStart = '2000-01-01';
/** How many years after its start a rule must have a day in: 29 February may be missing for seven. */
const yearsToTry = 9;
/** The most days of one occurrence. */
const maxLength = 366;
/** The dates that a rule may name. */
const range = { first: '1900-01-01', last: '2199-12-31' };
const lastYear = 2199;

const whole = (min: number, max: number) => (value: string) =>
  /^[+-]?\d{1,4}$/.test(value) && Number(value) >= min && Number(value) <= max && Number(value) !== 0;
const signed = (max: number) => whole(-max, max);
/** The most values of one part. */
const maxValues = 31;
const list = (isOne: (value: string) => boolean) => (value: string) => {
  const values = value.split(',');
  return values.length <= maxValues && values.every(isOne);
};
const weekday = (value: string) => /^([+-]?\d{1,2})?(MO|TU|WE|TH|FR|SA|SU)$/.test(value);

/** The parts of a rule whose occurrences are days, and which values they take (RFC 5545, 3.3.10). */
const parts: Readonly<Record<string, (value: string) => boolean>> = {
  FREQ: (value) => ['YEARLY', 'MONTHLY', 'WEEKLY', 'DAILY'].includes(value),
  INTERVAL: whole(1, 9999),
  COUNT: whole(1, 1000),
  UNTIL: (value) => /^\d{8}(T\d{6}Z)?$/.test(value),
  BYMONTH: list(whole(1, 12)),
  BYMONTHDAY: list(signed(31)),
  BYYEARDAY: list(signed(366)),
  BYWEEKNO: list(signed(53)),
  BYSETPOS: list(signed(366)),
  BYDAY: list(weekday),
  WKST: weekday,
};
/** The parts whose meaning depends on the first day. */
const needStart = ['INTERVAL', 'COUNT'];

interface RuleOptions {
  readonly rrule: string;
  readonly start: string | null;
  readonly days: number;
  readonly except: readonly string[];
  readonly name: string | null;
}

/** Days off by one recurrence rule: `FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24`. */
export const recurrenceRule = defineCalendarRule({
  name: 'rrule',
  options: {
    rrule: text(1000, {
      description: 'A recurrence rule of iCalendar: FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24, or FREQ=MONTHLY;BYDAY=-1FR.',
    }).required(),
    start: text(10, {
      description: `The first day of the rule, which INTERVAL and COUNT count from; ${defaultStart} if it is left out.`,
    }),
    days: count(1, { description: 'How many days in a row each occurrence takes.' }).min(1).max(maxLength),
    except: texts(10, { description: 'Dates that the rule leaves out.' }),
    name: text(255, { description: 'What people call these days.' }),
  },
  refuse: (options) => refusalOf(options),
  daysOff(options, year) {
    const except = new Set(options.except);
    const name = options.name ?? options.rrule;
    // One that begins at the end of a year may last into the next.
    const starts = datesOf(options, options.days > 1 ? year - 1 : year, year).filter((date) => !except.has(date));
    const dates = starts.flatMap((date) =>
      Array.from({ length: options.days }, (_, index) =>
        index === 0 ? date : new Date(Date.parse(date) + index * dayLength).toISOString().slice(0, 10),
      ),
    );
    return [...new Set(dates)]
      .filter((date) => date.startsWith(`${year}-`))
      .map((date): CalendarDay => ({ date, name }));
  },
});

function refusalOf(options: RuleOptions): string | null {
  for (const date of [options.start, ...options.except])
    if (date !== null && !isDate(date))
      return `has the date ${date.slice(0, 20)}, which is none from ${range.first} to ${range.last}`;
  for (const [name, value] of partsOf(options.rrule)) {
    const accepts = parts[name];
    if (!accepts) return `has the part ${name.slice(0, 64)}, which is none of ${Object.keys(parts).join(', ')}`;
    if (!accepts(value)) return `has the part ${name}=${value.slice(0, 64)}, whose value is none for days`;
    if (needStart.includes(name) && options.start === null) return `has the part ${name}, which needs a start`;
  }
  const first = Number((options.start ?? defaultStart).slice(0, 4));
  try {
    // A library that gives up after many steps would do so in the last year.
    const found = [...datesOf(options, first, first + yearsToTry), ...datesOf(options, lastYear, lastYear)];
    return found.length > 0 ? null : 'has a rule that no day matches';
  } catch (error) {
    return `has a rule that cannot be used: ${(error as Error).message}`;
  }
}

function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text < range.first || text > range.last) return false;
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

function partsOf(rrule: string): [name: string, value: string][] {
  const texts = rrule
    .toUpperCase()
    .replace(/^RRULE:/, '')
    .split(';');
  return texts.filter(Boolean).map((part) => {
    const [name = '', ...values] = part.split('=');
    return [name, values.join('=')];
  });
}

/** Lists the dates of some years, both inclusive. The days are those of UTC, which has no clock changes. */
function datesOf({ rrule, start }: RuleOptions, firstYear: number, lastYear: number): string[] {
  const { RRuleTemporal } = load('rrule-temporal') as typeof import('rrule-temporal');
  const first = (start ?? defaultStart).replaceAll('-', '');
  const recurrence = partsOf(rrule).map((part) => part.join('='));
  const rule = new RRuleTemporal({ rruleString: `DTSTART;TZID=UTC:${first}T000000\nRRULE:${recurrence.join(';')}` });
  const found = rule.between(new Date(`${firstYear}-01-01`), new Date(`${lastYear}-12-31`), true);
  return found.map((each) => each.toPlainDate().toString());
}
