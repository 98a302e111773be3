import { count, instant, ref } from '../field/fields.ts';
import type { Change, Tables } from '../store/store.ts';
import { defineBookkeeping, newRow, type RowOfTable } from '../store/table.ts';
import { startOfDay } from '../time/local-time.ts';
import { type TaskEndState, type TaskRow, taskEndStates } from './task.ts';

/**
 * How many Tasks of a template, of those that are no longer kept, ended how: one row for each day on which windows began and
 * day on which they ended, days of the service's time zone by their beginnings. Those that still exist are not counted, and
 * backfilled ones never: they were not owed.
 */
export const TaskTotal = defineBookkeeping({
  name: 'TaskTotal',
  fields: {
    runtemplate_id: ref('RunTemplate', { indexed: false, onDelete: 'cascade' }).required(),
    company_id: ref('Company', { indexed: false, onDelete: 'cascade' }).required(),
    window_day: instant().required(),
    end_day: instant().required(),
    fulfilled: count(0),
    fulfilled_late: count(0),
    failed: count(0),
    missed: count(0),
    cancelled: count(0),
  },
  unique: [['runtemplate_id', 'window_day', 'end_day']],
  indexes: [
    ['end_day', 'company_id'],
    ['window_day', 'company_id'],
    ['company_id', 'end_day'],
  ],
});
export type TotalRow = RowOfTable<typeof TaskTotal>;

const key = ['runtemplate_id', 'window_day', 'end_day'] as const;

/**
 * Adds Tasks that were deleted to the totals of their days. The caller keeps others from doing so at the same time.
 * @param timezone that of the service.
 */
export async function addToTotals(tables: Tables, deleted: readonly TaskRow[], timezone: string): Promise<void> {
  const totals = totalsOf(deleted, timezone);
  const table = tables.of(TaskTotal);
  const valuesOf = (column: (typeof key)[number]) => [...new Set([...totals.values()].map((total) => total[column]))];
  const stored = await table.find({ where: key.map((column) => [column, 'in', valuesOf(column)] as const) });
  const added: Change<TotalRow>[] = [];
  for (const row of stored) {
    const more = totals.get(nameOf(row));
    if (!more) continue;
    totals.delete(nameOf(row));
    const set = Object.fromEntries(taskEndStates.map((state) => [state, row[state] + more[state]]));
    added.push({ row, set });
  }
  if (added.length > 0) await table.update(added);
  if (totals.size > 0) await table.insert([...totals.values()]);
}

/** Counts Tasks by their template and days. */
function totalsOf(deleted: readonly TaskRow[], timezone: string): Map<string, Omit<TotalRow, 'id'>> {
  const totals = new Map<string, Omit<TotalRow, 'id'>>();
  const dayOf = cachedDays(timezone);
  for (const task of deleted) {
    if (task.backfilled) continue;
    const { runtemplate_id, company_id } = task;
    const window_day = dayOf(task.window_start);
    const end_day = dayOf(task.ended_at ?? task.deadline);
    const total = newRow(TaskTotal, { runtemplate_id, company_id, window_day, end_day });
    const existing = totals.get(nameOf(total)) ?? total;
    existing[task.state as TaskEndState] += 1;
    totals.set(nameOf(total), existing);
  }
  return totals;
}

function nameOf(total: Omit<TotalRow, 'id'>): string {
  return key.map((column) => total[column]).join();
}

/** Remembers the last day, because Tasks that follow each other mostly share it. */
function cachedDays(timezone: string): (instant: number) => number {
  let last: readonly [from: number, to: number] = [0, 0];
  return (instant) => {
    if (instant < last[0] || instant >= last[1])
      last = [startOfDay(instant, timezone), startOfDay(instant, timezone, -1)];
    return last[0];
  };
}
