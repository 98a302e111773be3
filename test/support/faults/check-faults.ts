import type { TaskRow } from '@horarium/core';
import { type FinalState, type Findings, groupBy, isoTime } from '../simulation/invariants/findings.ts';
import type { Acknowledged } from './client.ts';
import type { ServiceLifetime } from './kill-services.ts';
import type { Recorded } from './recorded-runs.ts';

/** Checks that attempts of one Task, or of a template that forbids overlap, never ran at once, and that the store records what ran. */
export function checkRecorded({ jobs }: FinalState, { runs, clashes }: Recorded, findings: Findings): void {
  findings.sentences.push(...clashes);
  const byJob = groupBy(runs, (run) => run.jobId);
  for (const job of jobs) {
    const own = byJob.get(job.id) ?? [];
    byJob.delete(job.id);
    const say = (holds: boolean, what: string) => findings.check(holds, () => `Job ${job.id} (${job.state}) ${what}`);
    say(own.length <= 1, `was run ${own.length} times.`);
    const [run] = own;
    if (run) say(job.started_at !== null, `ran at ${isoTime(run.from)}, which the store knows nothing of.`);
    if (job.state !== 'succeeded' && job.state !== 'failed') continue;
    say(run !== undefined && run.to !== null, 'ended, but it never said so.');
    say(run === undefined || job.pid === run.pid, `was process ${run?.pid}, not ${job.pid}.`);
  }
  for (const id of byJob.keys()) findings.check(false, () => `Job ${id} ran, but is not in the store.`);
}

/** How soon a dead worker's attempts are marked as lost, counted while some service lives. */
const promised = 15_000;

/** Checks that attempts of killed workers were marked as lost soon, and that no process is left running. */
export function checkLost(
  { jobs, workers }: FinalState,
  lifetimes: readonly ServiceLifetime[],
  findings: Findings,
): void {
  for (const job of jobs) {
    if (job.started_at === null) continue;
    const pid = Number(job.worker?.split(':')[1]);
    const life = lifetimes.findLast((each) => each.pid === pid && each.to >= (job.started_at as number));
    const finished = job.finished_at;
    findings.check(finished !== null, () => `Job ${job.id} of ${job.worker} still runs.`);
    if (job.state !== 'lost' || finished === null) continue;
    findings.check(
      life !== undefined && life.to < Infinity,
      () => `Job ${job.id} was lost, but ${job.worker} was not killed: ${job.reason}`,
    );
    const late = timeServed(lifetimes, life?.to ?? finished, finished);
    findings.check(
      late <= promised,
      () => `Job ${job.id} was found to be lost when others had been there for ${late} ms after its worker was killed.`,
    );
  }
  for (const worker of workers) findings.check(false, () => `The worker ${worker.name} was never expired.`);
}

/** Measures for how long at least one service answered between two moments. */
function timeServed(lifetimes: readonly ServiceLifetime[], from: number, to: number): number {
  let served = 0;
  let counted = from;
  for (const life of lifetimes.toSorted((one, other) => (one.from ?? 0) - (other.from ?? 0))) {
    const begin = Math.max(life.from ?? Infinity, counted);
    const end = Math.min(life.to, to);
    if (begin >= end) continue;
    served += end - begin;
    counted = end;
  }
  return served;
}

/** Checks that there is exactly one Task for each step of time from the template's creation until it was switched off. */
export function checkSteps(
  tasks: readonly TaskRow[],
  { step, from, to }: { readonly step: number; readonly from: number; readonly to: number },
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
  findings.check(first >= from && first < from + step + 1000, () => `The first window is that of ${isoTime(first)}.`);
  // The template's timestamp is from before its change was committed, and until then Tasks were owed.
  findings.check(
    last <= to + 3000 && last > to - step - 3000,
    () => `The last window is that of ${isoTime(last)}; it ended ${isoTime(to)}.`,
  );
}

/** Checks that every acknowledged write is stored. */
export function checkAcknowledged(
  { jobs, records }: FinalState,
  { jobs: ids, topics }: Acknowledged,
  findings: Findings,
) {
  const known = new Set(jobs.map((job) => job.id));
  for (const id of ids) findings.check(known.has(id), () => `Job ${id} was acknowledged and is not there.`);
  const rows = new Map(
    (records.get('Topic') as { id: number; name: string; description: string }[]).map((row) => [row.id, row]),
  );
  for (const { id, name, acknowledged, asked } of topics) {
    const row = rows.get(id);
    findings.check(row?.name === name, () => `Topic ${id} (${name}) was acknowledged; there is ${row?.name}.`);
    const value = Number(row?.description);
    findings.check(
      value >= acknowledged && value <= asked,
      () => `Topic ${id} was changed to ${acknowledged}, at most ${asked}; it is ${row?.description}.`,
    );
  }
}
