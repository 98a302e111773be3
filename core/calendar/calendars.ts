import { LruCache } from '../registry/lru-cache.ts';
import type { CalendarRuleSchemas } from '../resource/record-services.ts';
import { readByIds } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import { Calendar } from './calendar.ts';
import { DaysOff, type DaysOffDefinition } from './days-off.ts';

/** Without plugins there are no rules: calendars have weekdays and dates. */
export const noCalendarRules: CalendarRuleSchemas = new Map();

const definitionFields = ['name', 'weekdays', 'dates', 'working_dates', 'rules'] as const;

/** How many characters of definitions are cached, so that the days of their years are found once. */
const maxCached = 4_000_000;

/** The caches of all services in this process, by their rules. */
const caches = new WeakMap<CalendarRuleSchemas, LruCache<DaysOff>>();

/** Returns the days off of a calendar: the same object for the same definition, as long as it is in use. */
export function daysOffOf(calendar: DaysOffDefinition, rules: CalendarRuleSchemas): DaysOff {
  const cache = caches.get(rules) ?? new LruCache<DaysOff>(maxCached);
  caches.set(rules, cache);
  const key = JSON.stringify(definitionFields.map((field) => calendar[field]));
  const known = cache.get(key);
  if (known) return known;
  const made = new DaysOff(calendar, rules);
  cache.set(key, made, key.length);
  return made;
}

/** Refers to a calendar, as run templates do. */
export interface CalendarRef {
  readonly calendar_id: number | null;
}

/** Some calendars, by their ids. */
export class Calendars {
  readonly #daysOff: ReadonlyMap<number, DaysOff>;
  readonly #rules: CalendarRuleSchemas;

  constructor(stored: readonly StoredCalendar[], rules: CalendarRuleSchemas) {
    this.#daysOff = new Map(stored.map((row) => [row.id, daysOffOf(row, rules)]));
    this.#rules = rules;
  }

  /**
   * Adds the days off of its calendar to what refers to one; null = it refers to none, or to one that was deleted.
   * @param before the days off that it had. @default those of today
   */
  resolve<T extends CalendarRef>(of: T, before?: DaysOffDefinition): T & { readonly daysOff: DaysOff | null } {
    if (before) return { ...of, daysOff: daysOffOf(before, this.#rules) };
    // The spec of a backlog that an earlier version stored has no such field.
    return { ...of, daysOff: this.#daysOff.get(of.calendar_id ?? 0) ?? null };
  }
}

/** Reads the calendars that these refer to. It costs no query where they refer to none. */
export async function readCalendars(
  tables: Tables,
  rules: CalendarRuleSchemas,
  of: Iterable<CalendarRef>,
): Promise<Calendars> {
  return new Calendars(await readStoredCalendars(tables, of), rules);
}

/** A calendar as it is stored, without the days that its rules make. */
export interface StoredCalendar extends DaysOffDefinition {
  readonly id: number;
}

/** Reads the same, for a store in memory that plans by them. */
export async function readStoredCalendars(
  tables: Tables,
  of: Iterable<CalendarRef>,
): Promise<readonly StoredCalendar[]> {
  const ids = new Set<number>();
  for (const { calendar_id } of of) if (calendar_id) ids.add(calendar_id);
  if (ids.size === 0) return [];
  return [...(await readByIds(tables, Calendar, [...ids], ['id', ...definitionFields])).values()];
}
