import type { Instant } from '../loop/clock.ts';
import { usualLag } from '../scheduler/overdue-window.ts';
import { problemDelay } from '../scheduler/scheduler.ts';
import type { Tables } from '../store/store.ts';
import { Schedule } from '../template/schedule.ts';
import { ofService, type SummaryProblem } from './problem.ts';
import type { Scope } from './scope.ts';

/**
 * Finds the templates whose windows the scheduler cannot plan, because a rule of their calendar is missing, for example: it
 * tries them again later, and their first window waits meanwhile.
 * @param limit how many it lists.
 */
export async function findUnplanned(
  tables: Tables,
  scope: Scope,
  { now, limit }: { readonly now: Instant; readonly limit: number },
): Promise<SummaryProblem[]> {
  const stuck = await tables.of(Schedule).find({
    where: [
      ['next_at', '>', now],
      ['next_at', '<=', now + problemDelay],
      ['next_window', '<', now - usualLag],
      ...scope,
    ],
    order: [
      ['next_at', 'asc'],
      ['company_id', 'asc'],
    ],
    limit,
    columns: ['runtemplate_id', 'company_id', 'next_window'],
  });
  return stuck.map(({ runtemplate_id, company_id, next_window }) => ({
    ...ofService,
    kind: 'not_scheduled',
    runtemplate_id,
    company_id,
    since: next_window,
    reason: `its windows cannot be planned (horarium why ${runtemplate_id})`,
  }));
}
