import type { Tables } from '../store/store.ts';
import { Schedule, type ScheduleRow } from './schedule.ts';

/**
 * Takes the locks of these templates, in one order for everybody so that nobody waits in a circle; `skip` leaves out
 * those that others hold. Whoever decides about tasks and jobs of a template reads them only after this.
 */
export async function lockTemplates(
  tables: Tables,
  templateIds: Iterable<number>,
  lock: 'wait' | 'skip',
): Promise<Map<number, ScheduleRow>> {
  const ids = [...new Set(templateIds)];
  if (ids.length === 0) return new Map();
  const order = [['runtemplate_id', 'asc']] as const;
  const rows = await tables.of(Schedule).find({ where: [['runtemplate_id', 'in', ids]], order, lock });
  return new Map(rows.map((row) => [row.runtemplate_id, row]));
}
