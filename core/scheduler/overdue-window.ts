import type { Instant, Milliseconds } from '../loop/clock.ts';
import type { Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import { Schedule, type ScheduleRow } from '../template/schedule.ts';
import { minute } from '../time/duration.ts';

/** A window that waits longer for its Task is a problem; while a scheduler runs it takes a moment. */
export const usualLag: Milliseconds = minute;

/** Says that windows wait for their Tasks, as a clause without a full stop. @param since the time of the first, for people. */
export function unscheduledReason(since: string): string {
  return `the windows since ${since} have no Tasks: no host of the service schedules, or it is behind`;
}

/**
 * Returns when the window began that has been waiting for its Task for longest; null = none waits.
 * @param where limits the templates.
 */
export async function mostOverdueWindow(tables: Tables, where: Where<ScheduleRow> = []): Promise<Instant | null> {
  const [mostOverdue] = await tables.of(Schedule).find({
    where: [['next_at', '<=', await tables.now()], ...where],
    order: [
      ['next_at', 'asc'],
      ['company_id', 'asc'],
    ],
    limit: 1,
    columns: ['next_at'],
  });
  return mostOverdue?.next_at ?? null;
}
