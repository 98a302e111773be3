import { HorariumError } from '../errors.ts';
import type { Instant } from '../loop/clock.ts';
import type { Tables, Where } from '../store/store.ts';
import { nearestInstant } from '../time/instant.ts';
import { zoneNamed } from '../time/zone.ts';
import { Task, type TaskState, taskStates } from './task.ts';

/** What became of the windows of one template that began on one day. */
export interface DaySummary extends Readonly<Record<TaskState, number>> {
  /** Of the service's time zone: `2026-11-21`. */
  readonly day: string;
  readonly runtemplate_id: number;
  readonly company_id: number;
  /** All windows of that day but the cancelled ones, which nobody owes. */
  readonly owed: number;
  /** Fulfilled in time, of those that have ended and were not cancelled; null while there are none. */
  readonly on_time_rate: number | null;
}

export interface WantedSummary {
  /** Null = the six days before the last one as well. */
  readonly from: Instant | null;
  /** Inclusive. */
  readonly to: Instant;
  /** Of one template, of one company. */
  readonly filters?: Readonly<Record<string, number>>;
}

const dayLength = 86_400_000;
const usualDays = 7;
const mostDays = 366;
const mostRows = 10_000;

/**
 * Counts Tasks by state for each template and day of that zone, the newest day first.
 * @throws HorariumError `bad_request` when the range holds more days or rows than one answer should.
 */
export async function summarizeTasks(
  tables: Tables,
  visible: Where,
  { filters = {}, ...range }: WantedSummary & { readonly timezone: string },
): Promise<DaySummary[]> {
  const rows: DaySummary[] = [];
  const where = [...visible, ...Object.entries(filters).map(([field, id]) => [field, '=', id] as const)];
  for (const { day, from, to } of daysOf(range)) {
    const within: Where = [...where, ['window_start', '>=', from], ['window_start', '<=', to]];
    const counted = await tables.of(Task).countBy(['runtemplate_id', 'company_id', 'state'], within);
    const byTemplate = new Map<number, Counted>();
    for (const { values, count } of counted) {
      const [template, company, state] = values as [number, number, TaskState];
      const seen = byTemplate.get(template) ?? { company, counts: blank() };
      seen.counts[state] += count;
      byTemplate.set(template, seen);
    }
    const sorted = [...byTemplate].sort(([one], [other]) => one - other);
    rows.push(...sorted.map(([template, { company, counts }]) => summary(day, template, company, counts)));
    if (rows.length > mostRows)
      throw tooMuch(`would have more than ${mostRows} rows: give from, to or runtemplate_id to narrow it`);
  }
  return rows;
}

type Counts = Record<TaskState, number>;

interface Counted {
  readonly company: number;
  readonly counts: Counts;
}

function blank(): Counts {
  return Object.fromEntries(taskStates.map((state) => [state, 0])) as Counts;
}

function summary(day: string, runtemplate_id: number, company_id: number, counts: Counts): DaySummary {
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

/** The days that the range touches, newest first, each cut to the range. */
function daysOf({ from, to, timezone }: Range): { day: string; from: Instant; to: Instant }[] {
  const zone = zoneNamed(timezone);
  const midnight = (instant: Instant) => Math.floor(zone.wallAt(instant) / dayLength) * dayLength;
  const last = midnight(to);
  const first = from === null ? last - (usualDays - 1) * dayLength : midnight(from);
  const count = Math.max(0, (last - first) / dayLength + 1);
  if (count > mostDays) throw tooMuch(`would span ${count} days; ${mostDays} is the most`);
  const days = Array.from({ length: count }, (_, at) => {
    const wall = last - at * dayLength;
    const start = zone.reach(wall);
    const day = new Date(wall).toISOString().slice(0, 10);
    const begin = nearestInstant(Math.max(from ?? start, start));
    return { day, from: begin, to: Math.min(to, zone.reach(wall + dayLength) - 1) };
  });
  return days.filter((day) => day.from <= day.to);
}

function tooMuch(words: string): HorariumError {
  return new HorariumError('bad_request', `The summary ${words}.`);
}
