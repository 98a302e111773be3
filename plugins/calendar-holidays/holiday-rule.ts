import { createRequire } from 'node:module';
import { type CalendarDay, defineCalendarRule, text, texts } from '@horarium/core/plugin';
import type Holidays from 'date-holidays';

const load = createRequire(import.meta.url);

/** The package is optional, because it takes 45 MB. */
const packageName = 'date-holidays';

const hour = 3_600_000;
const day = 24 * hour;
/** The least time that a holiday takes: a shorter one leaves a part of its day for work. */
const almostADay = 20 * hour;

interface HolidayOptions {
  readonly country: string;
  readonly state: string | null;
  readonly region: string | null;
  readonly types: readonly string[];
  readonly language: string | null;
}

const types = ['public', 'bank', 'school', 'optional', 'observance'];

/** Days off by the public holidays of a country, and of a state or region of it. */
export const holidayRule = defineCalendarRule({
  name: 'holidays',
  options: {
    country: text(2, { description: 'The country, as its code of ISO 3166: CZ, DE, US.' }).required(),
    state: text(8, { description: 'A state of the country: BY of DE, CA of US. It adds its own holidays.' }),
    region: text(16, { description: 'A region of the state.' }),
    types: texts(16, {
      description: `Which holidays count: ${types.join(', ')}; public alone if it is left out.`,
    }),
    language: text(2, { description: 'The language of their names: en; that of the country if it is left out.' }),
  },
  refuse: (options) => refusalOf(options),
  daysOff(options, year) {
    const wanted = options.types.length > 0 ? options.types : ['public'];
    const holidaysOf = open(options);
    const found = new Map<string, CalendarDay>();
    // One that begins at the end of a year may last into the next, and a substitute may lie in another year than its holiday.
    for (const each of [year - 1, year, year + 1])
      for (const holiday of holidaysOf(each))
        if (wanted.includes(holiday.type))
          for (const date of datesOf(holiday))
            if (date.startsWith(`${year}-`) && !found.has(date)) found.set(date, { date, name: holiday.name });
    return [...found.values()];
  },
});

function refusalOf({ country, state, region, types: given, language }: HolidayOptions): string | null {
  let all: Holidays;
  try {
    all = new (holidaysClass())();
  } catch (error) {
    return (error as Error).message;
  }
  const wrong = given.find((type) => !types.includes(type));
  if (wrong !== undefined) return `has the type ${wrong}: there are ${types.join(', ')}`;
  const known = (what: string, name: string, names: object | undefined, of = '') => {
    const list = Object.keys(names ?? {});
    if (list.includes(name.toUpperCase())) return null;
    return list.length === 0
      ? `has the ${what} ${name}, but no ${what}s are known of ${of}`
      : `has the ${what} ${name}: there are ${list.join(', ')}`;
  };
  return (
    known('country', country, all.getCountries()) ??
    (state === null ? null : known('state', state, all.getStates(country), country)) ??
    (region === null
      ? null
      : state === null
        ? 'has a region, which needs a state'
        : known('region', region, all.getRegions(country, state), `${country}-${state}`)) ??
    (language === null || /^[a-z]{2}$/.test(language) ? null : `has the language ${language}: two letters such as en`)
  );
}

type HolidaysOfYear = ReturnType<Holidays['getHolidays']>;

/** The holidays of years by the place and language; a calendar asks for each year, and for those beside it. */
const known = new Map<string, (year: number) => HolidaysOfYear>();
/** How many places are remembered. */
const maxKnown = 100;

function open({ country, state, region, language }: HolidayOptions): (year: number) => HolidaysOfYear {
  const place = [country, state, region].map((code) => code?.toUpperCase());
  const key = [...place, language].join();
  const before = known.get(key);
  if (before) return before;
  if (known.size >= maxKnown) known.clear();
  const [of = '', stateCode, regionCode] = place;
  const holidays = new (holidaysClass())(
    { country: of, ...(stateCode && { state: stateCode }), ...(regionCode && { region: regionCode }) },
    language === null ? {} : { languages: [language] },
  );
  const years = new Map<number, HolidaysOfYear>();
  const ofYear = (year: number) => {
    const found = years.get(year) ?? holidays.getHolidays(year);
    years.set(year, found);
    return found;
  };
  known.set(key, ofYear);
  return ofYear;
}

/** @throws Error that says how to install the package where it is missing. */
function holidaysClass(): typeof Holidays {
  try {
    return (load(packageName) as { default?: typeof Holidays }).default ?? load(packageName);
  } catch {
    throw new Error(`needs the package ${packageName}, which is not installed: npm install ${packageName}`);
  }
}

/**
 * Lists the dates of a holiday. One that lasts from sunset to sunset begins on the evening before its first date, so that its
 * days are counted by its length.
 */
function datesOf({ date, start, end }: { date: string; start: Date; end: Date }): string[] {
  const length = end.getTime() - start.getTime();
  if (length < almostADay) return [];
  const first = Date.parse(`${date.slice(0, 10)}T00:00:00Z`);
  return Array.from({ length: Math.max(1, Math.round(length / day)) }, (_, index) =>
    new Date(first + index * day).toISOString().slice(0, 10),
  );
}
