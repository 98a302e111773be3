import { HorariumError } from '../errors.ts';
import type { Instant } from '../loop/clock.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import type { Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import { requireInstant } from '../time/instant.ts';
import { localDaysIn, startOfDay } from '../time/local-time.ts';
import { Task, type TaskRow, type TaskState, taskEndStates, taskStates } from './task.ts';
import { TaskTotal, type TotalRow } from './task-total.ts';

/** The Tasks of one template whose windows began on one day, counted by state; backfilled ones were not owed. */
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

export interface TaskSummaryQuery {
  /** Null = the start of the sixth day before the last one. */
  readonly from: Instant | null;
  /** Inclusive. */
  readonly to: Instant;
  /** Equality filters, such as `{ runtemplate_id: 1 }`; several ids are those of any. */
  readonly filters?: Readonly<Partial<Record<'runtemplate_id' | 'company_id', number | readonly number[]>>>;
}

const defaultDays = 7;
const maxRows = 10_000;

/**
 * Counts Tasks by state for each template and day of the time zone, the newest day first, those that are no longer kept
 * among them.
 * @throws HorariumError `bad_request` if `from` or `to` is no time, or the summary would have too many days or rows.
 */
export async function summarizeTasks(
  tables: Tables,
  visible: Where<TaskRow>,
  { filters = {}, ...range }: TaskSummaryQuery & { readonly timezone: string },
): Promise<DaySummary[]> {
  requireInstant('to', range.to);
  if (range.from !== null) requireInstant('from', range.from);
  const rows: DaySummary[] = [];
  const filterTerms = Object.entries(filters).map(
    ([field, id]) => [field as keyof typeof filters, 'in', [id].flat()] as const,
  );
  const owed: Where<TaskRow> = [...visible, ...filterTerms, ['backfilled', '=', false]];
  const { to: until, timezone } = range;
  const first = range.from ?? startOfDay(until, timezone, defaultDays - 1);
  for (const { day, from, to } of localDaysIn({ from: first, to: until }, timezone)) {
    // A store in this process leaves no other moment for the requests of others.
    await yieldToEventLoop();
    const ofDay: Where<TaskRow> = [...owed, ['window_start', '>=', from], ['window_start', '<=', to]];
    const groups = await tables.of(Task).countBy(['runtemplate_id', 'company_id', 'state'], ofDay);
    const byTemplate = new Map<number, CompanyCounts>();
    const add = (template: number, company: number, state: TaskState, count: number) => {
      const entry = byTemplate.get(template) ?? { company, counts: zeroCounts() };
      entry.counts[state] += count;
      byTemplate.set(template, entry);
    };
    for (const { values, count } of groups) add(...values, count);
    const totals = await tables
      .of(TaskTotal)
      .sumBy(['runtemplate_id', 'company_id'], taskEndStates, [
        ...(visible as Where<TotalRow>),
        ...filterTerms,
        ['window_day', '>=', from],
        ['window_day', '<=', to],
      ]);
    for (const { values, sums } of totals)
      for (const [index, state] of taskEndStates.entries()) add(...values, state, sums[index] as number);
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

function tooLarge(problem: string): HorariumError {
  return new HorariumError('bad_request', `The summary ${problem}.`);
}
