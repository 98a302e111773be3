import { App } from '../app/app.ts';
import { Company } from '../company/company.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import type { Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import { enabledIds, withoutDisabled } from '../template/disabled-reason.ts';
import { RunTemplate, type RunTemplateRow } from '../template/run-template.ts';
import { noWorkerReason, readLiveWorkers } from '../worker/lease/worker-lease.ts';
import { ofService, type SummaryProblem } from './problem.ts';
import type { Scope } from './scope.ts';

/**
 * Finds templates that are owed and whose jobs no live worker can run: none has their executor. Jobs of external executors
 * are claimed by programs elsewhere, which the service does not know until they claim one.
 * @param external the names of those executors.
 * @param limit how many templates of an executor it lists.
 */
export async function findUnserved(
  tables: Tables,
  scope: Scope,
  { external, limit }: { readonly external: ReadonlySet<string>; readonly limit: number },
): Promise<SummaryProblem[]> {
  const active = [['active', '=', true], ...scope] as const;
  const [wanted, workers] = await Promise.all([
    tables.of(RunTemplate).countBy(['executor'], active),
    readLiveWorkers(tables, await tables.now()),
  ]);
  const served = new Set([...external, ...workers.flatMap(({ executors }) => executors?.split(',') ?? [])]);
  const unserved = wanted.map(({ values: [executor] }) => executor).filter((executor) => !served.has(executor));
  if (unserved.length === 0) return [];
  if (workers.length === 0) {
    const count = await countEnabled(tables, [...active, ['executor', 'in', unserved]]);
    const reason = noWorkerReason(unserved.join(', '), workers);
    return count === 0 ? [] : [{ kind: 'will_not_run', ...ofService, count, reason }];
  }
  const problems: SummaryProblem[] = [];
  for (const executor of unserved) {
    await yieldToEventLoop();
    const where = [...active, ['executor', '=', executor]] as const;
    const columns = ['id', 'app_id', 'company_id'] as const;
    const found = await withoutDisabled(tables, await tables.of(RunTemplate).find({ where, limit, columns }));
    const reason = noWorkerReason(executor, workers);
    const about = { kind: 'will_not_run', ...ofService, reason } as const;
    problems.push(...found.map(({ id, company_id }) => ({ ...about, runtemplate_id: id, company_id })));
    const further = (await countEnabled(tables, where)) - found.length;
    if (further > 0) problems.push({ ...about, count: further });
  }
  return problems;
}

/** Counts the templates whose Apps and companies are enabled. */
async function countEnabled(tables: Tables, where: Where<RunTemplateRow>): Promise<number> {
  const groups = await tables.of(RunTemplate).countBy(['app_id', 'company_id'], where);
  const [apps, companies] = await Promise.all([
    enabledIds(
      tables,
      App,
      groups.map(({ values: [app] }) => app),
    ),
    enabledIds(
      tables,
      Company,
      groups.map(({ values: [, company] }) => company),
    ),
  ]);
  return groups
    .filter(({ values: [app, company] }) => apps.has(app) && companies.has(company))
    .reduce((sum, { count }) => sum + count, 0);
}
