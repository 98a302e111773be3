import { App } from '../app/app.ts';
import { Company } from '../company/company.ts';
import type { Instant } from '../loop/clock.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import type { Where } from '../store/query.ts';
import type { Tables } from '../store/store.ts';
import { enabledIds, withoutDisabled } from '../template/disabled-reason.ts';
import { RunTemplate, type RunTemplateRow } from '../template/run-template.ts';
import { readLiveAgents, suitableAgents } from '../worker/lease/agent-presence.ts';
import { noWorkerReason, readLiveWorkers } from '../worker/lease/worker-lease.ts';
import { ofService, type SummaryProblem } from './problem.ts';
import type { Scope } from './scope.ts';

/** How many placements that no agent serves are looked at: the summary is not ok with one of them. */
const maxPlacements = 64;

/**
 * Finds templates that are owed and whose jobs nothing that is alive can run: no worker has their executor, or no agent is
 * there for their placement. Jobs of external executors are claimed by programs elsewhere, which the service does not know
 * until they claim one.
 * @param external the names of those executors.
 * @param limit how many templates of an executor, or of a placement, it lists.
 */
export async function findUnserved(
  tables: Tables,
  scope: Scope,
  { external, limit }: { readonly external: ReadonlySet<string>; readonly limit: number },
): Promise<SummaryProblem[]> {
  const active: Where<RunTemplateRow> = [['active', '=', true], ...scope];
  const now = await tables.now();
  return [
    ...(await withoutWorker(tables, [...active, ['placement', '=', null]], { external, limit, now })),
    ...(await withoutAgent(tables, active, { limit, now })),
  ];
}

/** Finds those whose jobs workers of the service start. */
async function withoutWorker(
  tables: Tables,
  active: Where<RunTemplateRow>,
  { external, limit, now }: { readonly external: ReadonlySet<string>; readonly limit: number; readonly now: Instant },
): Promise<SummaryProblem[]> {
  const [wanted, workers] = await Promise.all([
    tables.of(RunTemplate).countBy(['executor'], active),
    readLiveWorkers(tables, now),
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
    const reason = noWorkerReason(executor, workers);
    problems.push(...(await listTemplates(tables, [...active, ['executor', '=', executor]], { reason, limit })));
  }
  return problems;
}

/** Finds those whose jobs agents run. */
async function withoutAgent(
  tables: Tables,
  active: Where<RunTemplateRow>,
  { limit, now }: { readonly limit: number; readonly now: Instant },
): Promise<SummaryProblem[]> {
  const wanted = await tables
    .of(RunTemplate)
    .countBy(['placement', 'company_id'], [...active, ['placement', '!=', null]]);
  if (wanted.length === 0) return [];
  const alive = await readLiveAgents(tables, now);
  const unserved = new Map<string, { placement: string; reason: string; companies: number[] }>();
  for (const {
    values: [placement, company_id],
  } of wanted) {
    const reason = placement === null ? null : suitableAgents(alive, { placement, company_id }).missing;
    if (placement === null || reason === null) continue;
    const known = unserved.get(`${placement} ${reason}`);
    if (known) known.companies.push(company_id);
    else unserved.set(`${placement} ${reason}`, { placement, reason, companies: [company_id] });
  }
  const problems: SummaryProblem[] = [];
  for (const { placement, reason, companies } of [...unserved.values()].slice(0, maxPlacements)) {
    await yieldToEventLoop();
    const where: Where<RunTemplateRow> = [['placement', '=', placement], ['company_id', 'in', companies], ...active];
    problems.push(...(await listTemplates(tables, where, { reason, limit })));
  }
  return problems;
}

/** Lists templates that nothing can run, and counts those beyond the limit. */
async function listTemplates(
  tables: Tables,
  where: Where<RunTemplateRow>,
  { reason, limit }: { readonly reason: string; readonly limit: number },
): Promise<SummaryProblem[]> {
  const columns = ['id', 'app_id', 'company_id'] as const;
  const found = await withoutDisabled(tables, await tables.of(RunTemplate).find({ where, limit, columns }));
  const about = { kind: 'will_not_run', ...ofService, reason } as const;
  const further = (await countEnabled(tables, where)) - found.length;
  return [
    ...found.map(({ id, company_id }) => ({ ...about, runtemplate_id: id, company_id })),
    ...(further > 0 ? [{ ...about, count: further }] : []),
  ];
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
