import { Job, type JobRow } from '../../job/job.ts';
import { type JobState, jobTransitions } from '../../job/job-states.ts';
import { unblockOldest } from '../../job/pending-jobs.ts';
import { runningUnder } from '../../job/stop-requests.ts';
import type { Instant } from '../../loop/clock.ts';
import type { Tables } from '../../store/store.ts';
import { maxReason } from '../../task/task.ts';
import type { AttemptOutcome } from '../../task/task-outcome.ts';
import { transition } from '../../task/transition.ts';
import { findLocked, type References } from '../../template/locked-rows.ts';
import { lockTemplates, Schedule, type ScheduleRow } from '../../template/schedule.ts';
import { smoothedDuration, type UsualDuration } from '../../time/usual-duration.ts';
import { decideTasks, type EndedJob } from './decide-tasks.ts';

/** The outcome of a job's attempt, with the worker that reports it. */
export interface FinishedAttempt extends AttemptOutcome {
  readonly jobId: number;
  readonly templateId: number;
  /** The name of the worker's epoch, a fencing token: the completion is refused when the job runs under another one. */
  readonly worker: string;
  readonly pid: number | null;
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** In bytes; null where it was not measured. */
  readonly peakMemory: number | null;
}

/** Returns the outcome `lost` of a running job, for example after its worker has died. */
export function lostAttempt(
  job: Pick<JobRow, 'id' | 'runtemplate_id' | 'worker'>,
  at: Instant,
  reason: string,
): FinishedAttempt {
  const unknown = { exitCode: null, signal: null, peakMemory: null, pid: null, final: false };
  const { id: jobId, runtemplate_id: templateId, worker } = job;
  return { ...unknown, jobId, templateId, worker: worker ?? '', state: 'lost', reason, finishedAt: at };
}

interface FinishedJob extends EndedJob {
  readonly attempt: FinishedAttempt;
}

/** The jobs of one transaction that can be finished in it. */
export interface FinishableJobs {
  readonly ids: ReadonlySet<number>;
  /** The locked templates of these jobs, by id. */
  readonly schedules: ReadonlyMap<number, ScheduleRow>;
}

/**
 * Locks the templates of running jobs, to finish these without waiting for another transaction: for their Tasks, retries and
 * files to be written, none may have locked their templates, Apps or companies.
 */
export async function lockToFinish(
  tables: Tables,
  jobs: readonly (References & Pick<JobRow, 'id'>)[],
): Promise<FinishableJobs> {
  const templateIds = jobs.map((job) => job.runtemplate_id);
  const [schedules, lockOf] = await Promise.all([
    lockTemplates(tables, templateIds, 'skip'),
    findLocked(tables, jobs),
    // Read after the locks, in the same round trip.
    tables.setting('clock'),
  ]);
  const free = jobs.filter((job) => schedules.has(job.runtemplate_id) && lockOf(job) === undefined);
  return { ids: new Set(free.map(({ id }) => id)), schedules };
}

/**
 * Finishes jobs and decides their Tasks: fulfilled, failed, or open again with a retry.
 * @param locked their templates, by id. @default they are locked here
 * @returns the ids of the refused jobs, which no longer run under the worker that reports them.
 */
export async function finishJobs(
  tables: Tables,
  attempts: readonly FinishedAttempt[],
  locked?: ReadonlyMap<number, ScheduleRow>,
): Promise<number[]> {
  if (attempts.length === 0) return [];
  const templateIds = attempts.map((attempt) => attempt.templateId);
  const [schedules, finished] = await Promise.all([
    locked ?? lockTemplates(tables, templateIds, 'wait'),
    readRunningJobs(tables, attempts),
  ]);
  await Promise.all([
    tables.of(Job).update(finished.map(({ job, attempt }) => ({ row: job, set: finishedColumns(job, attempt) }))),
    countJobs(tables, schedules, finished),
  ]);
  await decideTasks(tables, finished);
  await unblockOldest(
    tables,
    finished.map(({ job }) => job.runtemplate_id),
  );
  const accepted = new Set(finished.map(({ job }) => job.id));
  return attempts.map((attempt) => attempt.jobId).filter((id) => !accepted.has(id));
}

/**
 * Marks jobs lost that the store shows as running under this worker but that the worker never started, because the
 * acknowledgement of the commit that claimed them did not arrive.
 * @param live the attempts of the worker, by job id.
 */
export async function endOrphanedClaims(
  tables: Tables,
  worker: string,
  live: Pick<ReadonlyMap<number, unknown>, 'has'>,
): Promise<void> {
  const claimed = await tables.of(Job).find({ where: runningUnder(worker) });
  const now = await tables.now();
  const orphans = claimed.filter((job) => !live.has(job.id));
  const attempts = orphans.map((job) => lostAttempt(job, now, 'the worker never started it'));
  if (attempts.length > 0) await finishJobs(tables, attempts);
}

/** Reads the jobs of these attempts that still run under the worker which reports them. */
async function readRunningJobs(tables: Tables, attempts: readonly FinishedAttempt[]): Promise<FinishedJob[]> {
  const byId = new Map(attempts.map((attempt) => [attempt.jobId, attempt]));
  const jobs = await tables.of(Job).find({
    where: [
      ['id', 'in', [...byId.keys()]],
      ['state', '=', 'running'],
    ],
  });
  return jobs.flatMap((job) => {
    const attempt = byId.get(job.id);
    return attempt && attempt.worker === job.worker ? [{ job, attempt: withStopRequest(job, attempt) }] : [];
  });
}

/**
 * Turns the outcome of a job with a stop request into `cancelled`, unless it succeeded, so that it is not retried; also
 * when the job failed or its worker died before the request reached it.
 */
function withStopRequest(job: JobRow, attempt: FinishedAttempt): FinishedAttempt {
  // The store's clock may have been set back a little since the start.
  const finishedAt = Math.max(attempt.finishedAt, job.started_at as Instant);
  if (job.stop_reason === null || attempt.state === 'succeeded') return { ...attempt, finishedAt };
  return { ...attempt, finishedAt, state: 'cancelled', reason: job.stop_reason, final: false };
}

function finishedColumns(job: JobRow, attempt: FinishedAttempt): Partial<JobRow> {
  return {
    state: transition(jobTransitions, job.state, attempt.state),
    finished_at: attempt.finishedAt,
    pid: attempt.pid ?? job.pid,
    exit_code: attempt.exitCode,
    signal: attempt.signal,
    peak_memory: attempt.peakMemory,
    reason: attempt.reason?.slice(0, maxReason) ?? null,
    stop_reason: null,
    given_secrets: null,
  };
}

async function countJobs(
  tables: Tables,
  schedules: ReadonlyMap<number, ScheduleRow>,
  finished: readonly FinishedJob[],
): Promise<void> {
  const byTemplate = Map.groupBy(finished, ({ job }) => job.runtemplate_id);
  const changes = [...byTemplate].flatMap(([templateId, jobs]) => {
    const row = schedules.get(templateId);
    return row ? [{ row, set: counted(row, jobs) }] : [];
  });
  await tables.of(Schedule).update(changes);
}

/** Adds finished jobs to the counts of their template. A cancelled one counts as neither successful nor failed. */
function counted(row: ScheduleRow, finished: readonly FinishedJob[]): Partial<ScheduleRow> {
  const count = (...states: readonly JobState[]) =>
    finished.filter(({ attempt }) => states.includes(attempt.state)).length;
  return {
    successful_jobs_count: row.successful_jobs_count + count('succeeded'),
    failed_jobs_count: row.failed_jobs_count + count('failed', 'timed_out', 'lost'),
    ...usualDuration(row, finished),
  };
}

/** Smooths the durations of the attempts that succeeded into that of their template. */
function usualDuration(
  { duration_mean: mean, duration_deviation: deviation }: ScheduleRow,
  finished: readonly FinishedJob[],
): Pick<ScheduleRow, 'duration_mean' | 'duration_deviation'> {
  const known = mean === null || deviation === null ? null : { mean, deviation };
  const usual = finished
    .filter(({ attempt }) => attempt.state === 'succeeded')
    .map(({ job, attempt }) => attempt.finishedAt - (job.started_at ?? attempt.finishedAt))
    .reduce<UsualDuration | null>(smoothedDuration, known);
  return { duration_mean: usual?.mean ?? null, duration_deviation: usual?.deviation ?? null };
}
