import { createRequire } from 'node:module';
import type { DateWithTimeZone, ParameterValue, VEvent } from 'node-ical';

const load = createRequire(import.meta.url);

/** What an iCalendar file says about days. */
export interface IcsDays {
  /** What the file calls itself; null = nothing. */
  readonly name: string | null;
  readonly dates: readonly { readonly date: string; readonly to?: string; readonly name?: string }[];
  /** The options of a rule `rrule` for each recurring event. */
  readonly rules: readonly {
    readonly rrule: string;
    readonly start: string;
    readonly days?: number;
    readonly except?: readonly string[];
    readonly name?: string;
  }[];
  /** A sentence on what was left out. */
  readonly notes: readonly string[];
}

type Days = Omit<IcsDays, 'name' | 'notes'>;

const day = 86_400_000;
/** The longest name of a day off. */
const maxName = 255;

/**
 * Reads the events of whole days of an iCalendar file (RFC 5545). Cancelled events and those of a part of a day are left out.
 * @throws Error whose message says why the file is none.
 */
export function readIcs(file: string, text: string): IcsDays {
  assertWhole(text);
  const parsed = (load('node-ical') as typeof import('node-ical')).sync.parseICS(text);
  const components = Object.values(parsed).filter((each) => each !== undefined);
  const events = components.filter((each): each is VEvent => each.type === 'VEVENT');
  const whole = events.filter((event) => event.datetype === 'date');
  const days = whole.filter(({ status }) => status !== 'CANCELLED').map(daysOf);
  const found = days.reduce((sum, { dates, rules }) => sum + dates.length + rules.length, 0);
  if (found === 0) throw new Error('it has no event of a whole day');
  const partial = events.length - whole.length;
  const calendar = components.find((each) => each.type === 'VCALENDAR') as { 'WR-CALNAME'?: string } | undefined;
  return {
    name: calendar?.['WR-CALNAME']?.slice(0, maxName) ?? null,
    dates: days.flatMap(({ dates }) => dates),
    rules: days.flatMap(({ rules }) => rules),
    notes: partial > 0 ? [leftOutNote(file, partial)] : [],
  };
}

function leftOutNote(file: string, count: number): string {
  const events = count === 1 ? '1 event is' : `${count} events are`;
  return `${file}: ${events} left out, because only whole days are off.`;
}

/** The parser takes any text, and events that are cut off. */
function assertWhole(text: string): void {
  const count = (line: string) => text.match(new RegExp(`^${line}\\s*$`, 'gim'))?.length ?? 0;
  if (count('BEGIN:VCALENDAR') === 0) throw new Error('it is no iCalendar file: it has no line BEGIN:VCALENDAR');
  for (const component of ['VCALENDAR', 'VEVENT'])
    if (count(`BEGIN:${component}`) !== count(`END:${component}`))
      throw new Error(`it is cut off: a line END:${component} is missing`);
}

function daysOf(event: VEvent): Days {
  const name = nameOf(event);
  const named = name === undefined ? {} : { name };
  const first = dateOf(event.start);
  const length = daysIn(event);
  if (!event.rrule) {
    const starts = [first, ...furtherDates(event)];
    return { dates: starts.map((date) => ({ date, ...lastOf(date, length), ...named })), rules: [] };
  }
  const changed = Object.entries(event.recurrences ?? {});
  const except = [...Object.keys(event.exdate ?? {}), ...changed.map(([date]) => date)].map((date) =>
    date.slice(0, 10),
  );
  const [, rrule = ''] = /^RRULE:(.*)$/m.exec(event.rrule.toString()) ?? [];
  return {
    // Occurrences that were moved, and those that are added to the recurrence.
    dates: [
      ...changed.flatMap(([, each]) => (each.status === 'CANCELLED' ? [] : daysOf(each as VEvent).dates)),
      ...furtherDates(event).map((date) => ({ date, ...lastOf(date, length), ...named })),
    ],
    rules: [
      {
        rrule,
        start: first,
        ...(length > 1 && { days: length }),
        ...(except.length > 0 && { except: [...new Set(except)].sort() }),
        ...named,
      },
    ],
  };
}

/** The further dates of an event (RDATE), which the parser leaves as text. */
function furtherDates(event: VEvent): string[] {
  const { rdate } = event as { rdate?: unknown };
  const values = (Array.isArray(rdate) ? rdate : [rdate]).filter((each) => each !== undefined && each !== null);
  return values.flatMap((each) => {
    const text = typeof each === 'object' ? String((each as { val: unknown }).val) : String(each);
    return [...text.matchAll(/\b(\d{4})(\d{2})(\d{2})\b/g)].map(([, year, month, date]) => `${year}-${month}-${date}`);
  });
}

/** The parser puts dates at midnight of the time zone of the process. */
function dateOf(date: DateWithTimeZone): string {
  return new Date(utcOf(date)).toISOString().slice(0, 10);
}

function utcOf(date: Date): number {
  return Date.UTC(date.getFullYear(), date.getMonth(), date.getDate());
}

/** How many days an event takes; its end is the day after the last. */
function daysIn({ start, end }: VEvent): number {
  return end ? Math.max(1, Math.round((utcOf(end) - utcOf(start)) / day)) : 1;
}

function lastOf(date: string, length: number): { readonly to?: string } {
  return length === 1 ? {} : { to: new Date(Date.parse(date) + (length - 1) * day).toISOString().slice(0, 10) };
}

function nameOf({ summary }: VEvent): string | undefined {
  const value = summary as ParameterValue | undefined;
  const text = (typeof value === 'object' ? String((value as { val: unknown }).val) : value)?.trim();
  return text ? text.slice(0, maxName) : undefined;
}
