import { unblockAttempts, unblockNext } from '../job/blocked-jobs.ts';
import { endPendingJobs, pendingJobs } from '../job/end-pending-jobs.ts';
import { Job, type JobRow } from '../job/job.ts';
import { jobTransitions } from '../job/job-states.ts';
import { newJob } from '../job/new-job.ts';
import { maskOverrides } from '../job/overrides.ts';
import type { Instant } from '../loop/clock.ts';
import type { Tables } from '../store/store.ts';
import { isTaskEnded, Task, type TaskRow, type TaskState, taskTransitions } from '../task/task.ts';
import { type AttemptResult, lastStart, type TaskOutcome, taskOutcome } from '../task/task-outcome.ts';
import { transition } from '../task/transition.ts';
import { lockTemplates, Schedule, type ScheduleRow } from '../template/schedule.ts';

/** How a running job ended, as whoever ran it says. */
export interface JobResult extends AttemptResult {
  readonly jobId: number;
  readonly templateId: number;
  /** The worker that says so: refused when the job is not this worker's any more. */
  readonly worker: string;
  readonly pid: number | null;
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** The end of a running job that nobody runs any more. */
export function lostResult(
  job: Pick<JobRow, 'id' | 'runtemplate_id' | 'worker'>,
  at: Instant,
  reason: string,
): JobResult {
  const unknown = { exitCode: null, signal: null, pid: null, final: false };
  const { id: jobId, runtemplate_id: templateId, worker } = job;
  return { ...unknown, jobId, templateId, worker: worker ?? '', state: 'lost', reason, finishedAt: at };
}

interface Finished {
  readonly job: JobRow;
  readonly end: JobResult;
}

/**
 * Writes how jobs ended and what becomes of their Tasks: fulfilled, failed, or open again with the next attempt.
 * @returns the ids of those that were refused, because the job is not running under that worker any more.
 */
export async function finishJobs(tables: Tables, ends: readonly JobResult[]): Promise<number[]> {
  const templateIds = ends.map((end) => end.templateId);
  const [schedules, finished] = await Promise.all([
    lockTemplates(tables, templateIds, 'wait'),
    stillTheirs(tables, ends),
  ]);
  await Promise.all([
    tables.of(Job).update(finished.map(({ job, end }) => ({ row: job, set: ended(job, end) }))),
    countJobs(tables, schedules, finished),
  ]);
  await decideTasks(tables, finished);
  await unblockNext(
    tables,
    finished.map(({ job }) => job.runtemplate_id),
  );
  const accepted = new Set(finished.map(({ job }) => job.id));
  return ends.map((end) => end.jobId).filter((id) => !accepted.has(id));
}

async function stillTheirs(tables: Tables, ends: readonly JobResult[]): Promise<Finished[]> {
  const byId = new Map(ends.map((end) => [end.jobId, end]));
  const jobs = await tables.of(Job).find({
    where: [
      ['id', 'in', [...byId.keys()]],
      ['state', '=', 'running'],
    ],
  });
  return jobs.flatMap((job) => {
    const end = byId.get(job.id);
    return end && end.worker === job.worker ? [{ job, end: settled(job, end) }] : [];
  });
}

/**
 * The end as it counts. Somebody was promised that a job which is to be stopped is not tried again, so unless it
 * succeeded it is cancelled, also when it failed or its worker died before the wish had reached it.
 */
function settled(job: JobRow, end: JobResult): JobResult {
  // The store's clock may have been set back a little since the start.
  const finishedAt = Math.max(end.finishedAt, job.started_at as Instant);
  if (job.stop_reason === null || end.state === 'succeeded') return { ...end, finishedAt };
  return { ...end, finishedAt, state: 'cancelled', reason: job.stop_reason, final: false };
}

function ended(job: JobRow, end: JobResult): Partial<JobRow> {
  return {
    state: transition(jobTransitions, job.state, end.state),
    finished_at: end.finishedAt,
    pid: end.pid ?? job.pid,
    exit_code: end.exitCode,
    signal: end.signal,
    reason: end.reason?.slice(0, 1000) ?? null,
    stop_reason: null,
  };
}

async function decideTasks(tables: Tables, finished: readonly Finished[]): Promise<void> {
  const byTask = new Map(finished.flatMap((each) => (each.job.task_id === null ? [] : [[each.job.task_id, each]])));
  if (byTask.size === 0) return;
  const tasks = await tables.of(Task).find({ where: [['id', 'in', [...byTask.keys()]]] });
  const live = tasks.filter((task) => !isTaskEnded(task.state));
  const pending = await pendingJobs(
    tables,
    live.map((task) => task.id),
  );
  const decided = live.map((task) => {
    const { job, end } = byTask.get(task.id) as Finished;
    return {
      task,
      job,
      end,
      taskOutcome: taskOutcome(
        task,
        end,
        pending.some((each) => each.task_id === task.id && mayStillStart(task, each)),
      ),
    };
  });
  await tables.of(Task).update(decided.map((each) => ({ row: each.task, set: decidedSet(each) })));
  const states = new Map(decided.map((each) => [each.task.id, each.taskOutcome.state]));
  const stateOf = (job: JobRow) => states.get(job.task_id as number) as TaskState;
  const waived = pending.filter((job) => stateOf(job) === 'cancelled');
  const moot = pending.filter((job) => isTaskEnded(stateOf(job)) && stateOf(job) !== 'cancelled');
  await endPendingJobs(tables, waived, 'cancelled', () => 'the Task was cancelled');
  await endPendingJobs(tables, moot, 'skipped', () => 'the Task has ended meanwhile');
  await unblockAttempts(
    tables,
    decided.map((each) => each.task.id),
  );
  await tables.of(Job).insert(decided.flatMap(nextAttempt));
}

/** Somebody may have asked for an attempt at a time that is too late for the Task. */
function mayStillStart(task: TaskRow, job: JobRow): boolean {
  const last = lastStart(task);
  return last === null || job.scheduled_at <= last;
}

interface Decided {
  readonly task: TaskRow;
  readonly job: JobRow;
  readonly end: JobResult;
  readonly taskOutcome: TaskOutcome;
}

function decidedSet({ task, job, end, taskOutcome: { state, reason } }: Decided): Partial<TaskRow> {
  const moved = { state: transition(taskTransitions, task.state, state), reason };
  if (state === 'open') return { ...moved, last_start: lastStart(task) };
  if (state !== 'fulfilled' && state !== 'fulfilled_late') return { ...moved, last_start: null };
  return { ...moved, last_start: null, fulfilled_by_job_id: job.id, fulfilled_at: end.finishedAt };
}

function nextAttempt({ task, job, taskOutcome: { retryAt } }: Decided): Omit<JobRow, 'id'>[] {
  if (retryAt === null) return [];
  const template = { id: job.runtemplate_id, app_id: job.app_id, company_id: job.company_id, executor: job.executor };
  const plan = { taskId: task.id, attempt: task.attempts + 1, trigger: 'retry' as const, at: retryAt };
  const { overrides } = job;
  return [{ ...newJob(template, plan), overrides, environment: maskOverrides(overrides) }];
}

async function countJobs(
  tables: Tables,
  schedules: ReadonlyMap<number, ScheduleRow>,
  finished: readonly Finished[],
): Promise<void> {
  const counts = new Map<number, { successful: number; failed: number }>();
  for (const { job, end } of finished) {
    const count = counts.get(job.runtemplate_id) ?? { successful: 0, failed: 0 };
    if (end.state === 'succeeded') count.successful += 1;
    else if (end.state !== 'cancelled') count.failed += 1;
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
