import { Company, type CompanyRow } from '@horarium/core';
import { shareOf } from '#core/queue/turns';
import type { SimulationResult } from '../simulation.ts';
import type { PhysicalRun } from '../world/simulated-executor.ts';
import { type FinalState, type Findings, groupBy, isoTime } from './findings.ts';

/**
 * Checks that no company and no template ever ran more jobs at once than its `max_running`, and that the company beside
 * which another one is always enabled held no more than its share of any host: by what the executors ran, not by what the
 * store says.
 */
export function checkPlaces(
  { jobs, templates, records }: FinalState,
  { runs }: Pick<SimulationResult, 'runs'>,
  findings: Findings,
): void {
  const jobsById = new Map(jobs.map((job) => [job.id, job]));
  const check = (what: string, group: readonly PhysicalRun[], limit: number | null) => {
    const { most, at } = mostAtOnce(group);
    findings.check(
      limit === null || most <= limit,
      () => `At ${isoTime(at)} ${what} ran ${most} jobs at once, but may run ${limit}.`,
    );
  };
  const companies = records.get(Company.name) as readonly CompanyRow[];
  const byCompany = groupBy(runs, (run) => jobsById.get(run.jobId)?.company_id);
  for (const { id, max_running } of companies) check(`company ${id}`, byCompany.get(id) ?? [], max_running);
  const byTemplate = groupBy(runs, (run) => jobsById.get(run.jobId)?.runtemplate_id);
  for (const { id, max_running } of templates) check(`template ${id}`, byTemplate.get(id) ?? [], max_running);
  const [first] = companies;
  for (const [host, group] of groupBy(byCompany.get(first?.id) ?? [], (run) => run.host)) {
    const { capacity } = group[0] as PhysicalRun;
    check(`company ${first?.id} on ${host}`, group, capacity === Infinity ? null : shareOf(capacity));
  }
}

/** Returns how many of the runs went on at once at most, and when they did first. */
function mostAtOnce(runs: readonly PhysicalRun[]): { readonly most: number; readonly at: number } {
  const changes = runs.flatMap(({ from, to }) => [
    { at: from, by: 1 },
    { at: to ?? Infinity, by: -1 },
  ]);
  // A run that begins when another one ends does not run beside it.
  changes.sort((a, b) => a.at - b.at || a.by - b.by);
  let [now, most, mostAt] = [0, 0, 0];
  for (const { at, by } of changes) {
    now += by;
    if (now > most) [most, mostAt] = [now, at];
  }
  return { most, at: mostAt };
}
