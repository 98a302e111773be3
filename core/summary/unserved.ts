import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import type { Tables } from '../store/store.ts';
import { RunTemplate } from '../template/run-template.ts';
import { WorkerLease } from '../worker/lease/worker-lease.ts';
import { ofService, type SummaryProblem } from './problem.ts';
import type { Scope } from './scope.ts';

/**
 * Finds active templates whose jobs no live worker can run: none has their executor. Jobs of external executors are claimed
 * by programs elsewhere, of which the service knows nothing until they come.
 * @param external the names of those executors.
 * @param limit of how many templates of an executor it tells.
 */
export async function findUnserved(
  tables: Tables,
  scope: Scope,
  { external, limit }: { readonly external: ReadonlySet<string>; readonly limit: number },
): Promise<SummaryProblem[]> {
  const active = [['active', '=', true], ...scope] as const;
  const [wanted, leases] = await Promise.all([
    tables.of(RunTemplate).countBy(['executor'], active),
    tables.of(WorkerLease).find({
      where: [['lease_until', '>', await tables.now()]],
      columns: ['capacity', 'executors'],
    }),
  ]);
  const workers = leases.filter(({ capacity }) => capacity > 0);
  const served = new Set(workers.flatMap(({ executors }) => executors?.split(',') ?? []));
  const unserved = wanted.filter(({ values: [executor] }) => !served.has(executor) && !external.has(executor));
  if (unserved.length === 0) return [];
  if (workers.length === 0) {
    const count = unserved.reduce((sum, each) => sum + each.count, 0);
    return [
      { kind: 'will_not_run', ...ofService, count, reason: 'no worker runs: start the service (horarium serve)' },
    ];
  }
  const problems: SummaryProblem[] = [];
  for (const { values, count } of unserved) {
    await yieldToEventLoop();
    const [executor] = values;
    const where = [...active, ['executor', '=', executor]] as const;
    const templates = await tables.of(RunTemplate).find({ where, limit, columns: ['id', 'company_id'] });
    const reason = `no worker has the executor ${executor}: a host with its plugin must start`;
    problems.push(
      ...templates.map(({ id: runtemplate_id, company_id }) => ({
        kind: 'will_not_run' as const,
        ...ofService,
        runtemplate_id,
        company_id,
        reason,
      })),
    );
    const further = count - templates.length;
    if (further > 0) problems.push({ kind: 'will_not_run', ...ofService, count: further, reason });
  }
  return problems;
}
