import type { JobRow } from '@horarium/core';
import type { SimulationResult } from '../simulation.ts';
import type { PhysicalRun } from '../world/simulated-executor.ts';
import type { Span } from '../world/world.ts';
import { at, type Findings, groupBy, type Ledger } from './findings.ts';

/** Never two attempts of one Task at once, nor of one template that forbids it: by what ran, not by what was noted. */
export function checkRuns(
  { jobs, templates, workers }: Ledger,
  { runs, externalRuns, workers: live, unattended }: SimulationResult,
  findings: Findings,
): void {
  const jobsById = new Map(jobs.map((job) => [job.id, job]));
  const overlapOf = new Map(templates.map((template) => [template.id, template.overlap]));
  for (const [id, own] of groupBy(runs, (run) => run.jobId)) {
    const job = jobsById.get(id);
    findings.check(
      own.length === 1,
      () => `Job ${id} was run ${own.length} times, by ${own.map((run) => run.host).join(', ')}.`,
    );
    findings.check(
      job !== undefined && job.started_at !== null && job.worker?.split('.')[0] === own[0]?.host,
      () =>
        `Job ${id} ran on ${own[0]?.host}, but the store says it ${job?.started_at === null ? 'never ran' : `ran on ${job?.worker}`}.`,
    );
  }
  const apart = (key: string, group: readonly PhysicalRun[]) => {
    const inOrder = [...group].sort((a, b) => a.from - b.from);
    inOrder.forEach((run, index) => {
      const next = inOrder[index + 1];
      findings.check(
        !next || (run.to !== null && run.to <= next.from),
        () =>
          `Jobs ${run.jobId} (${run.host}, ${at(run.from)} to ${at(run.to)}) and ${next?.jobId} (${next?.host}, from ${at(next?.from ?? null)}) of ${key} ran at once.`,
      );
    });
  };
  for (const [task, group] of groupBy(runs, (run) => jobsById.get(run.jobId)?.task_id ?? null))
    if (task !== null) apart(`Task ${task}`, group);
  for (const [template, group] of groupBy(runs, (run) => jobsById.get(run.jobId)?.runtemplate_id ?? 0))
    if (overlapOf.get(template) !== 'allow') apart(`template ${template}`, group);
  checkPromptness(jobs, [...runs, ...externalRuns], unattended, findings);
  for (const worker of workers)
    findings.check(live.includes(worker.name), () => `The dead worker ${worker.name} was never buried.`);
}

/** The longest that an end may take to be known, with a lease of 40 seconds, late ticks and lost connections. */
const patience = 4 * 60_000;

/** Whatever becomes of its worker, how a job ended is in the store soon, unless there is nobody to write it. */
function checkPromptness(
  jobs: readonly JobRow[],
  runs: readonly PhysicalRun[],
  unattended: readonly Span[],
  findings: Findings,
): void {
  const ends = new Map(runs.map((run) => [run.jobId, run.to]));
  for (const job of jobs) {
    if (job.started_at === null || job.finished_at === null) continue;
    const from = ends.get(job.id) ?? job.started_at;
    const until = job.finished_at;
    const nobody = unattended.reduce(
      (sum, span) => sum + Math.max(0, Math.min(span.to, until) - Math.max(span.from, from)),
      0,
    );
    findings.check(
      until - from - nobody <= patience,
      () => `Job ${job.id} ended at ${at(from)}, which was noticed at ${at(until)}.`,
    );
  }
}
