import { array, object, string } from 'yup';
import type { FieldError } from '../errors.ts';
import type { Field } from '../field/field-meta.ts';
import { ref, text, texts } from '../field/fields.ts';
import { json, sized } from '../field/structured.ts';
import { completeOptions, readOptions } from '../records/plugin-options.ts';
import { hintAfter } from '../registry/did-you-mean.ts';
import { missingExtension } from '../registry/missing-extension.ts';
import { type CheckContext, defineResource, type InputOfResource, type Resource } from '../resource/define-resource.ts';
import { byMembershipOrShared } from '../resource/permissions.ts';
import { assertCodeIsFree } from '../resource/shared-code.ts';
import type { RowOfTable } from '../store/table.ts';
import { type DateRange, parseDay, weekdays } from './days-off.ts';

/** How many spans of dates a calendar may have, and how many rules. */
const maxDates = 1000;
const maxRules = 8;
/** The most days of all spans of one list. */
const maxDays = 10_000;

const dateRanges = () =>
  array()
    .of(object({ date: string().max(10).required(), to: string().max(10), name: string().max(255) }).noUnknown())
    .max(maxDates)
    .defined();

/** A rule of a calendar, with the options of this use. */
interface CalendarRuleUse {
  readonly rule: string;
  readonly [option: string]: unknown;
}

/** The rules of a calendar, whose options the rules themselves describe. */
const ruleList: Field<readonly CalendarRuleUse[]> = sized(
  array()
    .of(object({ rule: string().max(64).required() }))
    .max(maxRules)
    .defined(),
  65_536,
);

const described = defineResource({
  name: 'Calendar',
  cacheRegion: 'configuration',
  names: { singular: 'calendar', plural: 'calendars', id: 'calendarId' },
  description: 'The days that are off: run templates skip them, or move to a working day.',
  example: {
    code: 'cz',
    name: 'Working days of the shop',
    company_id: 1,
    weekdays: ['saturday', 'sunday'],
    dates: [{ date: '2099-12-24', to: '2100-01-01', name: 'company holidays' }],
    working_dates: [{ date: '2099-12-19', name: 'stocktaking' }],
  },
  operations: ['list', 'get', 'save', 'delete'],
  permissions: byMembershipOrShared({ read: 'viewer', write: 'manager' }, 'Calendar', 'Calendars'),
  company: 'company_id',
  key: ['company_id', 'code'],
  summaryFields: ['id', 'code', 'name', 'company_id', 'weekdays'],
  fields: {
    code: text(64, { description: 'Unique within the company.' }),
    name: text(255, { description: 'Name for people.' }).required(),
    company_id: ref('Company', {
      immutable: true,
      description: 'The company whose run templates may follow it; null = all companies.',
    }),
    weekdays: texts(16, {
      format: 'weekdays',
      parse: parseWeekdays,
      description: 'The weekdays that are off: saturday, sunday.',
    }).max(7),
    dates: json(dateRanges(), [], {
      detailOnly: true,
      description: 'Dates that are off: [{"date": "2026-12-24", "to": "2027-01-01", "name": "company holidays"}].',
    }),
    working_dates: json(dateRanges(), [], {
      detailOnly: true,
      description: 'Dates on which work is done whatever weekdays, dates and rules say.',
    }),
    rules: json(ruleList, [], {
      detailOnly: true,
      members: { by: 'rule', options: 'calendar_rules' },
      description:
        'Rules that say which days are off: [{"rule": "holidays", "country": "CZ"}]. Plugins describe their options.',
    }),
    note: text(65_535, { description: 'Remarks for operators.' }),
  },
  check: (row, context): Promise<void> => checkCalendar(row, context),
});
export type CalendarRow = { [K in keyof RowOfTable<typeof described>]: RowOfTable<typeof described>[K] };
export type CalendarInput = { [K in keyof InputOfResource<typeof described>]: InputOfResource<typeof described>[K] };

/** Which days are off, for the run templates that follow it. */
export const Calendar: Resource<CalendarRow, CalendarInput> = described;

/** Reads weekdays as a list, or as one text: `sat,sun`. @throws Error that names one that is none. */
function parseWeekdays(input: unknown): unknown {
  const names = typeof input === 'string' ? input.split(/[\s,]+/).filter(Boolean) : input;
  if (!Array.isArray(names) || names.some((each) => typeof each !== 'string')) return names;
  return [...new Set(names.map((each: string) => weekdayNamed(each)))];
}

function weekdayNamed(name: string): string {
  const lower = name.toLowerCase();
  const found = weekdays.find((weekday) => weekday === lower || (lower.length === 3 && weekday.startsWith(lower)));
  if (!found)
    throw new Error(`must be weekdays such as saturday, not ${name.slice(0, 64)}${hintAfter(name, weekdays)}`);
  return found;
}

async function checkCalendar(row: CalendarRow, { tables, service, errors }: CheckContext<CalendarRow>): Promise<void> {
  errors.push(...rangeErrors('dates', row.dates), ...rangeErrors('working_dates', row.working_dates));
  row.rules = row.rules.map(({ rule: name, ...options }, index) => {
    const rule = service.calendarRules.get(name);
    const path = `rules[${index}]`;
    if (!rule) {
      const message = `${path}.rule: ${missingExtension('calendar rule', name, service.calendarRules.keys())}`;
      errors.push({ field: `${path}.rule`, message });
      return { rule: name, ...options };
    }
    const found: FieldError[] = [];
    const read = readOptions(['rules', index], rule.options, options, `the calendar rule ${name}`, found);
    const refusal = found.length > 0 ? null : (rule.refuse?.(completeOptions(rule.options, read)) ?? null);
    errors.push(...found, ...(refusal === null ? [] : [{ field: path, message: `${path} ${refusal}` }]));
    return { rule: name, ...read };
  });
  if (new Set(row.weekdays).size === 7)
    errors.push({ field: 'weekdays', message: 'weekdays must leave a working day' });
  if (row.company_id === null) await assertCodeIsFree(Calendar, row, tables);
}

function rangeErrors(field: string, ranges: readonly DateRange[]): FieldError[] {
  let days = 0;
  const errors = ranges.flatMap(({ date, to }, index) => {
    const error = (name: string, message: string) => {
      const path = `${field}[${index}].${name}`;
      return [{ field: path, message: `${path} ${message}` }];
    };
    const first = parseDay(date);
    if (first === undefined) return error('date', 'must be a date such as 2026-12-24');
    const last = to === undefined ? first : parseDay(to);
    if (last === undefined) return error('to', 'must be a date such as 2027-01-01');
    if (last < first) return error('to', 'must not be before date');
    days += last - first + 1;
    return [];
  });
  if (days > maxDays) errors.push({ field, message: `${field} may have at most ${maxDays} days` });
  return errors;
}
