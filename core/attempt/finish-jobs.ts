import { Job, type JobRow } from '../job/job.ts';
import { jobTransitions } from '../job/job-states.ts';
import { newJob } from '../job/new-job.ts';
import { maskOverrides } from '../job/overrides.ts';
import { endPendingJobs, pendingJobs, unblockAttempts, unblockOldest } from '../job/pending-jobs.ts';
import { runningUnder } from '../job/stop-requests.ts';
import type { Instant } from '../loop/clock.ts';
import { required } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import { isTaskEnded, maxReason, Task, type TaskRow, type TaskState } from '../task/task.ts';
import {
  type AttemptOutcome,
  outcomeChanges,
  startDeadline,
  type TaskOutcome,
  taskOutcome,
} from '../task/task-outcome.ts';
import { transition } from '../task/transition.ts';
import { lockTemplates, Schedule, type ScheduleRow } from '../template/schedule.ts';

/** The outcome of a job's attempt, with the worker that reports it. */
export interface FinishedAttempt extends AttemptOutcome {
  readonly jobId: number;
  readonly templateId: number;
  /** The name of the worker's epoch, a fencing token: the completion is refused when the job runs under another one. */
  readonly worker: string;
  readonly pid: number | null;
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** Returns the outcome `lost` of a running job, for example after its worker has died. */
export function lostAttempt(
  job: Pick<JobRow, 'id' | 'runtemplate_id' | 'worker'>,
  at: Instant,
  reason: string,
): FinishedAttempt {
  const unknown = { exitCode: null, signal: null, pid: null, final: false };
  const { id: jobId, runtemplate_id: templateId, worker } = job;
  return { ...unknown, jobId, templateId, worker: worker ?? '', state: 'lost', reason, finishedAt: at };
}

interface FinishedJob {
  readonly job: JobRow;
  readonly attempt: FinishedAttempt;
}

/**
 * Finishes jobs and decides their Tasks: fulfilled, failed, or open again with a retry.
 * @returns the ids of the refused jobs, which no longer run under the worker that reports them.
 */
export async function finishJobs(tables: Tables, attempts: readonly FinishedAttempt[]): Promise<number[]> {
  const templateIds = attempts.map((attempt) => attempt.templateId);
  const [schedules, finished] = await Promise.all([
    lockTemplates(tables, templateIds, 'wait'),
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
    reason: attempt.reason?.slice(0, maxReason) ?? null,
    stop_reason: null,
  };
}

async function decideTasks(tables: Tables, finished: readonly FinishedJob[]): Promise<void> {
  const byTask = new Map(finished.flatMap((end) => (end.job.task_id === null ? [] : [[end.job.task_id, end]])));
  if (byTask.size === 0) return;
  const tasks = await tables.of(Task).find({ where: [['id', 'in', [...byTask.keys()]]] });
  const unended = tasks.filter((task) => !isTaskEnded(task.state));
  const pending = await pendingJobs(
    tables,
    unended.map((task) => task.id),
  );
  const decided = unended.map((task) => {
    const { job, attempt } = required(byTask.get(task.id), `finished job of Task ${task.id}`);
    const hasPending = pending.some((job) => job.task_id === task.id && startsInTime(task, job));
    return { task, job, attempt, outcome: taskOutcome(task, attempt, hasPending) };
  });
  await tables.of(Task).update(decided.map((decision) => ({ row: decision.task, set: decidedColumns(decision) })));
  const states = new Map<number | null, TaskState>(decided.map(({ task, outcome }) => [task.id, outcome.state]));
  const stateOf = (job: JobRow) => required(states.get(job.task_id), `state of the Task of job ${job.id}`);
  const ofCancelledTasks = pending.filter((job) => stateOf(job) === 'cancelled');
  const ofEndedTasks = pending.filter((job) => isTaskEnded(stateOf(job)) && stateOf(job) !== 'cancelled');
  await endPendingJobs(tables, ofCancelledTasks, 'cancelled', 'the Task was cancelled');
  await endPendingJobs(tables, ofEndedTasks, 'skipped', 'the Task has ended meanwhile');
  await unblockAttempts(
    tables,
    decided.map(({ task }) => task.id),
  );
  await tables.of(Job).insert(decided.flatMap(nextAttempt));
}

/** Whether a pending attempt is due by the start deadline of its Task: people may schedule one that is not. */
function startsInTime(task: TaskRow, job: JobRow): boolean {
  const deadline = startDeadline(task);
  return deadline === null || job.scheduled_at <= deadline;
}

interface DecidedTask extends FinishedJob {
  readonly task: TaskRow;
  readonly outcome: TaskOutcome;
}

function decidedColumns({ task, job, attempt, outcome }: DecidedTask): Partial<TaskRow> {
  const columns = outcomeChanges(task, outcome);
  if (outcome.state !== 'fulfilled' && outcome.state !== 'fulfilled_late') return columns;
  return { ...columns, fulfilled_by_job_id: job.id, fulfilled_at: attempt.finishedAt };
}

function nextAttempt({ task, job, outcome: { retryAt } }: DecidedTask): Omit<JobRow, 'id'>[] {
  if (retryAt === null) return [];
  const template = { id: job.runtemplate_id, app_id: job.app_id, company_id: job.company_id, executor: job.executor };
  const plan = { taskId: task.id, attempt: task.attempts + 1, trigger: 'retry' as const, at: retryAt };
  const { overrides } = job;
  return [{ ...newJob(template, plan), overrides, environment: maskOverrides(overrides) }];
}

async function countJobs(
  tables: Tables,
  schedules: ReadonlyMap<number, ScheduleRow>,
  finished: readonly FinishedJob[],
): Promise<void> {
  const counts = new Map<number, { successful: number; failed: number }>();
  for (const { job, attempt } of finished) {
    const count = counts.get(job.runtemplate_id) ?? { successful: 0, failed: 0 };
    if (attempt.state === 'succeeded') count.successful += 1;
    else if (attempt.state !== 'cancelled') count.failed += 1;
    counts.set(job.runtemplate_id, count);
  }
  await tables.of(Schedule).update(
    [...counts].flatMap(([id, { successful, failed }]) => {
      const row = schedules.get(id);
      if (!row) return [];
      const set = {
        successful_jobs_count: row.successful_jobs_count + successful,
        failed_jobs_count: row.failed_jobs_count + failed,
      };
      return [{ row, set }];
    }),
  );
}
