import type { JobRow } from '@horarium/core';
import { fleetExecutor } from '../fleet/fleet-executor.ts';
import type { SimulationResult } from '../simulation.ts';
import type { PhysicalRun } from '../world/simulated-executor.ts';
import type { Span } from '../world/span.ts';
import { type FinalState, type Findings, groupBy, isoTime } from './findings.ts';

/**
 * Checks that two attempts of one Task never ran at once, nor two of one template that does not allow it: by what the
 * executors ran, not by what the store says.
 */
export function checkRuns(
  { jobs, templates, workers }: FinalState,
  { runs, externalRuns, workers: live, outages: unattended, time, wasSetBack }: SimulationResult,
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
      job !== undefined && job.started_at !== null && workerOf(job) === own[0]?.host,
      () =>
        `Job ${id} ran on ${own[0]?.host}, but the store says it ${job?.started_at === null ? 'never ran' : `ran on ${job?.worker}`}.`,
    );
  }
  const checkApart = (key: string, group: readonly PhysicalRun[]) => {
    const sorted = [...group].sort((a, b) => a.from - b.from);
    sorted.forEach((run, index) => {
      const next = sorted[index + 1];
      findings.check(
        !next || (run.to !== null && run.to <= next.from),
        () =>
          `Jobs ${run.jobId} (${run.host}, ${isoTime(run.from)} to ${isoTime(run.to)}) and ${next?.jobId} (${next?.host}, from ${isoTime(next?.from ?? null)}) of ${key} ran at once.`,
      );
    });
  };
  for (const [task, group] of groupBy(runs, (run) => jobsById.get(run.jobId)?.task_id ?? null))
    if (task !== null) checkApart(`Task ${task}`, group);
  for (const [template, group] of groupBy(runs, (run) => jobsById.get(run.jobId)?.runtemplate_id ?? 0))
    if (overlapOf.get(template) !== 'allow') checkApart(`template ${template}`, group);
  for (const worker of workers)
    findings.check(
      worker.lost_at !== null || live.includes(worker.name),
      () => `The dead worker ${worker.name} was never reaped.`,
    );
  // By a clock that was set back, a time from before and one from after are no measure of what lies between them.
  if (wasSetBack) return;
  // The end of a run is known by the real time only.
  const ends = [...runs, ...externalRuns].map(
    ({ jobId, to }) => [jobId, to === null ? null : time.storeTimeOf(to)] as const,
  );
  checkPromptness(jobs, new Map(ends), unattended, findings);
}

/** Returns the name of the host, or `agent:NAME`. */
function workerOf({ executor, worker }: JobRow): string | null {
  return executor === fleetExecutor.name ? worker : (worker?.split(':')[0] ?? null);
}

/** The maximum delay until an end is stored, with a lease of 40 seconds, late ticks and lost connections. */
const maxDelay = 4 * 60_000;

/** Checks that the end of a job is stored soon, whatever happens to its worker, not counting spans without a host. */
function checkPromptness(
  jobs: readonly JobRow[],
  ends: ReadonlyMap<number, number | null>,
  unattended: readonly Span[],
  findings: Findings,
): void {
  for (const job of jobs) {
    // Those of agents have limits of their own.
    if (job.executor === fleetExecutor.name) continue;
    if (job.started_at === null || job.finished_at === null) continue;
    const from = ends.get(job.id) ?? job.started_at;
    const until = job.finished_at;
    const withoutHost = unattended.reduce(
      (sum, span) => sum + Math.max(0, Math.min(span.to, until) - Math.max(span.from, from)),
      0,
    );
    findings.check(
      until - from - withoutHost <= maxDelay,
      () => `Job ${job.id} ended at ${isoTime(from)}, which was stored at ${isoTime(until)}.`,
    );
  }
}
