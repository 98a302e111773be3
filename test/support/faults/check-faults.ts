import type { TaskRow } from '@horarium/core';
import { type FinalState, type Findings, groupBy, isoTime } from '../simulation/invariants/findings.ts';
import type { Acknowledged } from './client.ts';
import type { ServiceLifetime } from './kill-services.ts';
import type { Recorded } from './recorded-runs.ts';

/**
 * Checks that no attempts ran at the same time that must not, and that the store agrees with the runs that the jobs recorded.
 * @param ownIds whether the jobs know their processes by other ids than the machine, because they run in containment.
 */
export function checkRecordedRuns(
  { jobs }: FinalState,
  { runs, clashes }: Recorded,
  findings: Findings,
  { ownIds = false }: { readonly ownIds?: boolean } = {},
): void {
  findings.violations.push(...clashes);
  const byJob = groupBy(runs, (run) => run.jobId);
  for (const job of jobs) {
    const jobRuns = byJob.get(job.id) ?? [];
    byJob.delete(job.id);
    const check = (holds: boolean, what: string) => findings.check(holds, () => `Job ${job.id} (${job.state}) ${what}`);
    check(jobRuns.length <= 1, `was run ${jobRuns.length} times.`);
    const [run] = jobRuns;
    if (run) check(job.started_at !== null, `ran at ${isoTime(run.from)}, but has no start in the store.`);
    if (job.state !== 'succeeded' && job.state !== 'failed') continue;
    // A job whose workers died over it too often before it started is refused, and runs nothing.
    if (/^its worker died \d+ times/.test(job.reason ?? '')) continue;
    check(run !== undefined && run.to !== null, 'has ended, but recorded no end.');
    check(run === undefined || ownIds || job.pid === run.pid, `was process ${run?.pid}, not ${job.pid}.`);
  }
  for (const id of byJob.keys()) findings.check(false, () => `Job ${id} ran, but is not in the store.`);
}

/**
 * Checks that only attempts of killed workers were marked as lost, and of those that logged that they could not renew their
 * lease in time: a busy machine is enough for it.
 * @param abandoned the jobs that such workers named.
 */
export function checkLostJobs(
  { jobs, workers }: FinalState,
  lifetimes: readonly ServiceLifetime[],
  abandoned: ReadonlySet<number>,
  findings: Findings,
): void {
  for (const job of jobs) {
    if (job.started_at === null) continue;
    const pid = Number(job.worker?.split(':')[1]);
    const lifetime = lifetimes.findLast((each) => each.pid === pid && each.to >= (job.started_at as number));
    const finishedAt = job.finished_at;
    findings.check(finishedAt !== null, () => `Job ${job.id} of ${job.worker} still runs.`);
    if (job.state !== 'lost' || abandoned.has(job.id)) continue;
    findings.check(
      lifetime !== undefined && lifetime.to < Infinity,
      () => `Job ${job.id} was lost, but ${job.worker} was not killed: ${job.reason}`,
    );
  }
  for (const { name, lost_at } of workers)
    findings.check(lost_at !== null, () => `The worker ${name} was never expired.`);
}

/** What windows a template may have had. */
interface WindowSpan {
  /** The length of the windows. */
  readonly step: number;
  /** Instants before and after its creation. */
  readonly created: readonly [before: number, after: number];
  /** An instant after its deactivation. */
  readonly until: number;
}

/** Checks that every window of a template, from its first one to its last, has exactly one Task. */
export function checkWindowSteps(
  tasks: readonly TaskRow[],
  { step, created: [before, after], until }: WindowSpan,
  findings: Findings,
): void {
  const starts = tasks.map((task) => task.window_start).sort((a, b) => a - b);
  starts.forEach((start, index) => {
    findings.check(start % step === 0, () => `A window begins at ${isoTime(start)}.`);
    const next = starts[index + 1];
    findings.check(
      next === undefined || next - start === step,
      () => `The window at ${isoTime(start)} is followed by that at ${isoTime(next ?? null)}.`,
    );
  });
  const [first, last] = [starts[0] ?? Infinity, starts.at(-1) ?? 0];
  findings.check(first >= before && first <= after + step, () => `The first window is that of ${isoTime(first)}.`);
  findings.check(last <= until, () => `The last window, that of ${isoTime(last)}, began after the deactivation.`);
}

/** Checks that every acknowledged write is stored. */
export function checkAcknowledgedWrites(
  { jobs, records }: FinalState,
  { jobs: ids, topics }: Acknowledged,
  findings: Findings,
) {
  const storedIds = new Set(jobs.map((job) => job.id));
  for (const id of ids) findings.check(storedIds.has(id), () => `Job ${id} was acknowledged, but is not in the store.`);
  const rows = new Map(
    (records.get('Topic') as { id: number; name: string; description: string }[]).map((row) => [row.id, row]),
  );
  for (const { id, name, acknowledged, requested } of topics) {
    const row = rows.get(id);
    findings.check(row?.name === name, () => `Topic ${id} (${name}) was acknowledged, but the store has ${row?.name}.`);
    const value = Number(row?.description);
    findings.check(
      value >= acknowledged && value <= requested,
      () => `Topic ${id} was changed to ${acknowledged}, at most ${requested}; it is ${row?.description}.`,
    );
  }
}
