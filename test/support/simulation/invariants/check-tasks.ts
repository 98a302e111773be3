import type { JobRow, TaskRow } from '@horarium/core';
import { retryDelay } from '#core/time/retry';
import { exitCodes } from '../world/preparation.ts';
import { deadlyReason } from './check-deaths.ts';
import { type FinalState, type Findings, groupBy, isoTime } from './findings.ts';

const statesAfterStart = ['succeeded', 'failed', 'timed_out', 'lost'];
const failures = ['failed', 'timed_out', 'lost'];

/** Requests of people that the store does not record. */
interface Requests {
  /** Ids of jobs that were rescheduled. */
  readonly rescheduled: ReadonlySet<number>;
  /** Ids of running jobs that were cancelled. */
  readonly cancelled: ReadonlySet<number>;
  /** Ids of the jobs that repeat Tasks which had ended. */
  readonly repetitions: ReadonlySet<number>;
}

/** Checks that each Task and job is in the state that follows from its attempts, its limits and the time. */
export function checkTasks(
  { tasks, jobs, now }: FinalState,
  findings: Findings,
  { rescheduled, cancelled, repetitions }: Requests = {
    rescheduled: new Set(),
    cancelled: new Set(),
    repetitions: new Set(),
  },
): void {
  const byTask = groupBy(jobs, (job) => job.task_id);
  for (const task of tasks) {
    const all = byTask.get(task.id) ?? [];
    const own = all.filter((job) => !repetitions.has(job.id));
    const repeated = all.filter((job) => repetitions.has(job.id));
    const check = (holds: boolean, what: string) =>
      findings.check(holds, () => `Task ${task.id} (${task.state}, ${isoTime(task.window_start)}): ${what}`);
    const started = own.filter((job) => job.started_at !== null);
    const adhoc = started.filter((job) => job.trigger === 'adhoc').length;
    const again = repeated.filter((job) => job.started_at !== null).length;
    const count = started.length + again;
    check(task.attempts === count, `counts ${task.attempts} attempts, ${count} were started.`);
    check(
      started.length <= task.max_attempts + adhoc,
      `had ${started.length} of at most ${task.max_attempts} attempts.`,
    );
    const deadline = startDeadline(task);
    for (const job of own.filter((each) => each.trigger === 'retry'))
      check(
        deadline === null || job.scheduled_at <= deadline || rescheduled.has(job.id),
        `the retry ${job.id} would come too late.`,
      );
    for (const job of started) {
      check(
        deadline === null || (job.started_at as number) <= deadline,
        `job ${job.id} was started after ${isoTime(deadline)}.`,
      );
      // A person may request another attempt at a Task that lies ahead of a clock that was set back; retries follow.
      const isRequested = own.some(({ id, trigger }) => id <= job.id && (trigger === 'adhoc' || rescheduled.has(id)));
      check(
        isRequested || (job.started_at as number) >= task.window_start,
        `job ${job.id} was started before the window.`,
      );
    }
    if (task.state === 'open' || task.state === 'running') checkPending(task, own, now, check);
    else checkEnded(task, own, repeated, check);
  }
  for (const job of jobs) {
    const check = (holds: boolean, what: string) =>
      findings.check(holds, () => `Job ${job.id} (${job.state}): ${what}`);
    check(job.state !== 'running', 'still runs.');
    check(job.state !== 'scheduled' || job.queue_at !== null, 'is stranded: it is blocked by no running job.');
    const settled = job.state === 'cancelled' || job.state === 'succeeded';
    check(settled || !cancelled.has(job.id), 'was cancelled while it ran, but ended otherwise.');
    const [, replacedBy] = /^replaced by job (\d+)$/.exec(job.reason ?? '') ?? [];
    const other = jobs.find((each) => each.id === Number(replacedBy));
    if (other)
      check(other.task_id === null || other.task_id !== job.task_id, `was replaced by ${other.id}, of the same Task.`);
    if (job.started_at !== null)
      check(job.started_at >= job.scheduled_at, `was started before ${isoTime(job.scheduled_at)}.`);
    if (job.state === 'scheduled') continue;
    check(job.finished_at !== null, 'has no end.');
    if (!statesAfterStart.includes(job.state) && job.started_at === null) continue;
    check(job.started_at !== null && job.worker !== null, 'ended without a start or worker.');
    check((job.finished_at as number) >= (job.started_at as number), 'ended before it was started.');
  }
}

type Check = (holds: boolean, what: string) => void;

/** Written from the contract, not taken from the code. */
function startDeadline(task: TaskRow): number | null {
  if (task.caught_up) return null;
  return task.allow_late ? task.window_end : task.deadline;
}

function checkPending(task: TaskRow, own: readonly JobRow[], now: number, check: Check): void {
  const deadline = startDeadline(task);
  check(task.state === 'open', 'is running, although no attempt is.');
  check(deadline === null || deadline >= now, `its start deadline was ${isoTime(deadline)}.`);
  check(
    own.some((job) => job.state === 'scheduled'),
    'has no pending job.',
  );
}

function checkEnded(task: TaskRow, own: readonly JobRow[], repeated: readonly JobRow[], check: Check): void {
  check(task.reason !== null && task.reason !== '', 'ended without a reason.');
  check(
    own.every((job) => job.state !== 'scheduled'),
    'has a pending job.',
  );
  const successes = own.filter((job) => job.state === 'succeeded');
  const success = successes.at(-1);
  check(successes.length <= 1, 'succeeded twice.');
  const inTime = success !== undefined && (success.finished_at as number) <= task.deadline && !task.caught_up;
  const counts = inTime || (success !== undefined && (task.allow_late || task.caught_up));
  const repetition = counts ? undefined : repeated.find((job) => job.state === 'succeeded');
  const fulfilled = task.state === 'fulfilled' || task.state === 'fulfilled_late';
  check(
    fulfilled === (counts || repetition !== undefined),
    `job ${success?.id} succeeded at ${isoTime(success?.finished_at ?? null)}, due by ${isoTime(task.deadline)}.`,
  );
  if (fulfilled) {
    const by = repetition ?? success;
    check(task.state === (inTime ? 'fulfilled' : 'fulfilled_late'), `succeeded ${inTime ? 'in time' : 'late'}.`);
    check(task.fulfilled_by_job_id === by?.id && task.fulfilled_at === by?.finished_at, 'names another job.');
  }
  const attempts = own.filter((job) => job.started_at !== null);
  if (task.state === 'missed') check(attempts.length === 0, 'had an attempt.');
  if (task.state === 'failed') check(mayHaveFailed(task, own), 'had attempts left that could start in time.');
  if (attempts.length === 0)
    check(
      own.every((job) => job.state === 'cancelled' || job.state === 'skipped'),
      'has a job that was neither cancelled nor skipped.',
    );
}

/** Whether the contract lets it fail after its last attempt. */
function mayHaveFailed(task: TaskRow, own: readonly JobRow[]): boolean {
  const attempts = own.filter((job) => job.started_at !== null);
  const last = attempts.reduce<JobRow | undefined>((a, b) => (a && a.attempt > b.attempt ? a : b), undefined);
  if (!last) return false;
  if (last.state === 'succeeded') return true;
  if (!failures.includes(last.state)) return false;
  const declared =
    last.state === 'failed' && last.exit_code !== null
      ? exitCodes[String(last.exit_code) as keyof typeof exitCodes]
      : null;
  if (declared && 'retry' in declared && declared.retry === false) return true;
  if (last.reason === deadlyReason) return true;
  if (attempts.length >= task.max_attempts) return true;
  const deadline = startDeadline(task);
  const next = (last.finished_at as number) + retryDelay(task, attempts.length);
  const skipped = own.some((job) => job.state === 'skipped');
  return deadline !== null && (next > deadline || skipped);
}
