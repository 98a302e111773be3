import { HorariumError } from '../errors.ts';
import type { Instant } from '../loop/clock.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import type { Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import { day } from '../time/duration.ts';
import { nearestInstant, requireInstant } from '../time/instant.ts';
import { zoneNamed } from '../time/zone.ts';
import { Task, type TaskRow, type TaskState, taskStates } from './task.ts';

/** The Tasks of one template whose windows began on one day, counted by state. */
export interface DaySummary extends Readonly<Record<TaskState, number>> {
  /** A day of the service's time zone: `2026-11-21`. */
  readonly day: string;
  readonly runtemplate_id: number;
  readonly company_id: number;
  /** All Tasks of that day but the cancelled ones, which are not owed. */
  readonly owed: number;
  /** The share of Tasks fulfilled in time, of those that have ended and were not cancelled; null = none has ended. */
  readonly on_time_rate: number | null;
}

export interface SummaryQuery {
  /** Null = the start of the sixth day before the last one. */
  readonly from: Instant | null;
  /** Inclusive. */
  readonly to: Instant;
  /** Equality filters, such as `{ runtemplate_id: 1 }`. */
  readonly filters?: Readonly<Partial<Record<'runtemplate_id' | 'company_id', number>>>;
}

const defaultDays = 7;
const maxDays = 366;
const maxRows = 10_000;

/**
 * Counts Tasks by state for each template and day of the time zone, the newest day first.
 * @throws HorariumError `bad_request` when the summary would exceed the limit of days or rows, or `to` is no time.
 */
export async function summarizeTasks(
  tables: Tables,
  visible: Where<TaskRow>,
  { filters = {}, ...range }: SummaryQuery & { readonly timezone: string },
): Promise<DaySummary[]> {
  requireInstant('to', range.to);
  if (range.from !== null) requireInstant('from', range.from);
  const rows: DaySummary[] = [];
  const filterTerms = Object.entries(filters).map(([field, id]) => [field as keyof typeof filters, '=', id] as const);
  const where: Where<TaskRow> = [...visible, ...filterTerms];
  for (const { day, from, to } of daysOf(range)) {
    // A store in this process leaves no other moment for the requests of others.
    await yieldToEventLoop();
    const ofDay: Where<TaskRow> = [...where, ['window_start', '>=', from], ['window_start', '<=', to]];
    const groups = await tables.of(Task).countBy(['runtemplate_id', 'company_id', 'state'], ofDay);
    const byTemplate = new Map<number, CompanyCounts>();
    for (const { values, count } of groups) {
      const [template, company, state] = values;
      const entry = byTemplate.get(template) ?? { company, counts: zeroCounts() };
      entry.counts[state] += count;
      byTemplate.set(template, entry);
    }
    const sorted = [...byTemplate].sort(([a], [b]) => a - b);
    rows.push(...sorted.map(([template, { company, counts }]) => daySummary(day, template, company, counts)));
    if (rows.length > maxRows)
      throw tooLarge(`would have more than ${maxRows} rows: give from, to or runtemplate_id to narrow it`);
  }
  return rows;
}

type Counts = Record<TaskState, number>;

interface CompanyCounts {
  readonly company: number;
  readonly counts: Counts;
}

function zeroCounts(): Counts {
  return Object.fromEntries(taskStates.map((state) => [state, 0])) as Counts;
}

function daySummary(day: string, runtemplate_id: number, company_id: number, counts: Counts): DaySummary {
  const ended = counts.fulfilled + counts.fulfilled_late + counts.failed + counts.missed;
  return {
    day,
    runtemplate_id,
    company_id,
    ...counts,
    owed: ended + counts.open + counts.running,
    on_time_rate: ended === 0 ? null : counts.fulfilled / ended,
  };
}

interface Range {
  readonly from: Instant | null;
  readonly to: Instant;
  readonly timezone: string;
}

/** Splits the range into days of the zone, newest first; the first and last day are cut to the range. */
function daysOf({ from, to, timezone }: Range): { day: string; from: Instant; to: Instant }[] {
  const zone = zoneNamed(timezone);
  const midnight = (instant: Instant) => Math.floor(zone.wallAt(instant) / day) * day;
  const last = midnight(to);
  const first = from === null ? last - (defaultDays - 1) * day : midnight(from);
  const count = Math.max(0, (last - first) / day + 1);
  if (count > maxDays) throw tooLarge(`would span ${count} days; the maximum is ${maxDays}`);
  const days = Array.from({ length: count }, (_, index) => {
    const localMidnight = last - index * day;
    const start = zone.reach(localMidnight);
    const date = new Date(localMidnight).toISOString().slice(0, 10);
    const dayStart = nearestInstant(Math.max(from ?? start, start));
    return { day: date, from: dayStart, to: Math.min(to, zone.reach(localMidnight + day) - 1) };
  });
  return days.filter((each) => each.from <= each.to);
}

function tooLarge(problem: string): HorariumError {
  return new HorariumError('bad_request', `The summary ${problem}.`);
}
