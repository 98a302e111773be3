import type { JobRow } from '@horarium/core';
import type { SimulationResult } from '../simulation.ts';
import { type FinalState, type Findings, groupBy, isoTime } from './findings.ts';

/** A clock that was set back may show the end of one attempt after the start of the next. */
const tolerance = 2000;

/** Checks that hosts run native jobs only, that each external job has one worker, and that stored runs do not overlap. */
export function checkExternalJobs(
  { jobs, templates, now }: FinalState,
  { runs, externalRuns, wasSetBack }: Pick<SimulationResult, 'runs' | 'externalRuns' | 'wasSetBack'>,
  findings: Findings,
): void {
  const executorOf = new Map(jobs.map((job) => [job.id, job.executor]));
  for (const { jobId, host } of runs)
    findings.check(executorOf.get(jobId) === 'native', () => `${host} ran job ${jobId}, which is external.`);
  const claims = groupBy(externalRuns, (run) => run.jobId);
  for (const job of jobs.filter((each) => each.executor === 'external' && each.started_at !== null)) {
    const own = claims.get(job.id) ?? [];
    findings.check(
      own.length === 1 && own[0]?.host === job.worker,
      () => `Job ${job.id} of ${job.worker} was claimed by ${own.map((run) => run.host).join(', ') || 'no worker'}.`,
    );
  }
  // By a clock that was set back, stored times are not in the order of what happened.
  if (wasSetBack) return;
  const checkApart = (key: string, group: readonly JobRow[]) => {
    // One that could not be prepared ends when it starts, before another one that starts at the same time.
    const sorted = group
      .filter((job) => job.started_at !== null)
      .sort((a, b) => started(a) - started(b) || (a.finished_at ?? now) - (b.finished_at ?? now) || a.id - b.id);
    sorted.forEach((job, index) => {
      const next = sorted[index + 1];
      const end = job.finished_at ?? now;
      findings.check(
        !next || end <= started(next) + tolerance,
        () =>
          `Jobs ${job.id} (until ${isoTime(end)}) and ${next?.id} (from ${isoTime(next?.started_at ?? null)}) of ${key} overlap.`,
      );
    });
  };
  const overlapOf = new Map(templates.map((template) => [template.id, template.overlap]));
  for (const [task, group] of groupBy(jobs, (job) => job.task_id)) if (task !== null) checkApart(`Task ${task}`, group);
  for (const [template, group] of groupBy(jobs, (job) => job.runtemplate_id))
    if (overlapOf.get(template) !== 'allow') checkApart(`template ${template}`, group);
}

function started(job: JobRow): number {
  return job.started_at as number;
}
