import { type JobRow, retryDelay, type TaskRow } from '@horarium/core';
import { exitCodes } from '../world/prepare-attempts.ts';
import { at, type Findings, groupBy, type Ledger } from './findings.ts';

const hadToRun = ['succeeded', 'failed', 'timed_out', 'lost'];
const failures = ['failed', 'timed_out', 'lost'];

/** What people did to jobs that the store does not tell. */
interface Wishes {
  /** Ids of jobs that were given another time. */
  readonly moved: ReadonlySet<number>;
  /** Ids of running jobs that were cancelled. */
  readonly cancelled: ReadonlySet<number>;
}

/** Whether each Task is in the state that its jobs, its limits and the time say. */
export function checkTasks(
  { tasks, jobs, now }: Ledger,
  findings: Findings,
  { moved, cancelled }: Wishes = { moved: new Set(), cancelled: new Set() },
): void {
  const byTask = groupBy(jobs, (job) => job.task_id);
  for (const task of tasks) {
    const own = byTask.get(task.id) ?? [];
    const say = (holds: boolean, what: string) =>
      findings.check(holds, () => `Task ${task.id} (${task.state}, ${at(task.window_start)}): ${what}`);
    const started = own.filter((job) => job.started_at !== null);
    const asked = started.filter((job) => job.trigger === 'adhoc').length;
    say(task.attempts === started.length, `counts ${task.attempts} attempts, ${started.length} were started.`);
    say(task.attempts <= task.max_attempts + asked, `was tried ${task.attempts} times of ${task.max_attempts}.`);
    const last = lastMoment(task);
    for (const job of own.filter((each) => each.trigger === 'retry'))
      say(last === null || job.scheduled_at <= last || moved.has(job.id), `the retry ${job.id} would come too late.`);
    for (const job of started) {
      say(last === null || (job.started_at as number) <= last, `job ${job.id} was started after ${at(last)}.`);
      say((job.started_at as number) >= task.window_start, `job ${job.id} was started before the window.`);
    }
    if (task.state === 'open' || task.state === 'running') checkPending(task, own, now, say);
    else checkEnded(task, own, say);
  }
  for (const job of jobs) {
    const say = (holds: boolean, what: string) => findings.check(holds, () => `Job ${job.id} (${job.state}): ${what}`);
    say(job.state !== 'running', 'still runs.');
    say(job.state !== 'scheduled' || job.queue_at !== null, 'is stranded: it waits for nothing.');
    const kept = job.state === 'cancelled' || job.state === 'succeeded';
    say(kept || !cancelled.has(job.id), 'was cancelled while it ran, and then forgotten.');
    const [, replacedBy] = /^replaced by job (\d+)$/.exec(job.reason ?? '') ?? [];
    const other = jobs.find((each) => each.id === Number(replacedBy));
    if (other)
      say(other.task_id === null || other.task_id !== job.task_id, `was replaced by ${other.id}, of the same Task.`);
    if (job.started_at !== null) say(job.started_at >= job.scheduled_at, `was started before ${at(job.scheduled_at)}.`);
    if (job.state === 'scheduled') continue;
    say(job.finished_at !== null, 'ended at no time.');
    if (!hadToRun.includes(job.state) && job.started_at === null) continue;
    say(job.started_at !== null && job.worker !== null, 'ended without having run.');
    say((job.finished_at as number) >= (job.started_at as number), 'ended before it was started.');
  }
}

type Say = (holds: boolean, what: string) => void;

function lastMoment(task: TaskRow): number | null {
  if (task.caught_up) return null;
  return task.allow_late ? task.window_end : task.deadline;
}

function checkPending(task: TaskRow, own: readonly JobRow[], now: number, say: Say): void {
  const last = lastMoment(task);
  say(task.state === 'open', 'nothing runs any more.');
  say(last === null || last >= now, `its last moment was ${at(last)}.`);
  say(
    own.some((job) => job.state === 'scheduled'),
    'has no job that waits.',
  );
}

function checkEnded(task: TaskRow, own: readonly JobRow[], say: Say): void {
  say(task.reason !== null && task.reason !== '', 'ended without a reason.');
  say(
    own.every((job) => job.state !== 'scheduled'),
    'has a job that still waits.',
  );
  const successes = own.filter((job) => job.state === 'succeeded');
  const success = successes.at(-1);
  say(successes.length <= 1, 'succeeded twice.');
  const inTime = success !== undefined && (success.finished_at as number) <= task.deadline && !task.caught_up;
  const counts = inTime || (success !== undefined && (task.allow_late || task.caught_up));
  const fulfilled = task.state === 'fulfilled' || task.state === 'fulfilled_late';
  say(
    fulfilled === counts,
    `job ${success?.id} succeeded at ${at(success?.finished_at ?? null)}, due by ${at(task.deadline)}.`,
  );
  if (fulfilled) {
    say(task.state === (inTime ? 'fulfilled' : 'fulfilled_late'), `succeeded ${inTime ? 'in time' : 'late'}.`);
    say(task.fulfilled_by_job_id === success?.id && task.fulfilled_at === success?.finished_at, 'names another job.');
  }
  if (task.state === 'missed') say(task.attempts === 0, 'was tried.');
  if (task.state === 'failed') say(mayHaveFailed(task, own), 'had attempts left that could start in time.');
  if (task.attempts === 0)
    say(
      own.every((job) => job.state === 'cancelled' || job.state === 'skipped'),
      'left a job.',
    );
}

/** Whether the rules let it fail after its last attempt. */
function mayHaveFailed(task: TaskRow, own: readonly JobRow[]): boolean {
  const tried = own.filter((job) => job.started_at !== null);
  const last = tried.reduce<JobRow | undefined>(
    (a, b) => (a && (a.started_at as number) > (b.started_at as number) ? a : b),
    undefined,
  );
  if (!last) return false;
  if (last.state === 'succeeded') return true;
  if (!failures.includes(last.state)) return false;
  const declared =
    last.state === 'failed' && last.exit_code !== null
      ? exitCodes[String(last.exit_code) as keyof typeof exitCodes]
      : null;
  if (declared && 'retry' in declared && declared.retry === false) return true;
  if (task.attempts >= task.max_attempts) return true;
  const until = lastMoment(task);
  const next = (last.finished_at as number) + retryDelay(task, task.attempts);
  const skipped = own.some((job) => job.state === 'skipped');
  return until !== null && (next > until || skipped);
}
