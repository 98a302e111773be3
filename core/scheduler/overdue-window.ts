import type { Instant } from '../loop/clock.ts';
import type { Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import { Schedule, type ScheduleRow } from '../template/schedule.ts';

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
