import { Job, type JobRow } from '../../job/job.ts';
import { newJob } from '../../job/new-job.ts';
import { maskOverrides } from '../../job/overrides.ts';
import { endPendingJobs, type PendingJob, pendingJobs, unblockAttempts } from '../../job/pending-jobs.ts';
import type { Instant } from '../../loop/clock.ts';
import { required } from '../../store/rows.ts';
import type { Change, Tables } from '../../store/store.ts';
import { isTaskEnded, Task, type TaskRow } from '../../task/task.ts';
import {
  type AttemptOutcome,
  outcomeChanges,
  repetitionChanges,
  startDeadline,
  taskOutcome,
} from '../../task/task-outcome.ts';
import { agentOf } from '../lease/agent-presence.ts';

/** A job as it was while it ran, and how it ended. */
export interface EndedJob {
  readonly job: JobRow;
  readonly attempt: AttemptOutcome;
}

/** What the end of an attempt means for its Task and for the other jobs of that Task. */
interface Decision {
  readonly task: TaskRow;
  readonly set: Partial<TaskRow>;
  /** The pending jobs that end with the Task. */
  readonly cancelled: readonly PendingJob[];
  readonly skipped: readonly PendingJob[];
  /** The job of the next attempt; null = no retry follows. */
  readonly retry: Omit<JobRow, 'id'> | null;
}

/**
 * Decides the Tasks of ended jobs: fulfilled, failed, cancelled, or open again with a retry. Those that had ended before
 * were repeated: they are fulfilled late if that succeeded, and else stay as they are. The caller has locked the templates.
 */
export async function decideTasks(tables: Tables, ended: readonly EndedJob[]): Promise<void> {
  const endOf = new Map(ended.flatMap((end) => (end.job.task_id === null ? [] : [[end.job.task_id, end]])));
  if (endOf.size === 0) return;
  const tasks = await tables.of(Task).find({ where: [['id', 'in', [...endOf.keys()]]] });
  const endOfTask = ({ id }: TaskRow) => required(endOf.get(id), `ended job of Task ${id}`);
  const unended = tasks.filter((task) => !isTaskEnded(task.state));
  const taskIds = unended.map((task) => task.id);
  const pendingOf = Map.groupBy(await pendingJobs(tables, taskIds), (job) => job.task_id);
  const decisions = unended.map((task) => decide(task, endOfTask(task), pendingOf.get(task.id) ?? []));
  const cancelled = decisions.flatMap((decision) => decision.cancelled);
  const skipped = decisions.flatMap((decision) => decision.skipped);
  const repetitions = tasks.flatMap((task) => (isTaskEnded(task.state) ? repetition(task, endOfTask(task)) : []));
  await tables.of(Task).update([...decisions.map(({ task, set }) => ({ row: task, set })), ...repetitions]);
  await endPendingJobs(tables, cancelled, 'cancelled', 'the Task was cancelled');
  await endPendingJobs(tables, skipped, 'skipped', 'the Task has ended meanwhile');
  await unblockAttempts(tables, taskIds);
  await tables.of(Job).insert(decisions.flatMap(({ retry }) => retry ?? []));
}

/** Returns the change of a Task that had ended and was repeated, if the repetition changes it. */
function repetition(task: TaskRow, { job, attempt }: EndedJob): Change<TaskRow>[] {
  const set = attempt.state === 'succeeded' ? repetitionChanges(task, attempt) : null;
  return set ? [{ row: task, set: { ...set, ...fulfilledBy(job, attempt) } }] : [];
}

function fulfilledBy({ id }: JobRow, { finishedAt }: AttemptOutcome): Partial<TaskRow> {
  return { fulfilled_by_job_id: id, fulfilled_at: finishedAt };
}

function decide(task: TaskRow, { job, attempt }: EndedJob, pending: readonly PendingJob[]): Decision {
  const hasPendingJob = pending.some((other) => startsInTime(task, other));
  const outcome = taskOutcome(task, onAgent(attempt, job), hasPendingJob);
  const isCancelled = outcome.state === 'cancelled';
  const isFulfilled = outcome.state === 'fulfilled' || outcome.state === 'fulfilled_late';
  return {
    task,
    set: {
      ...outcomeChanges(task, outcome, attempt.finishedAt),
      ...(isFulfilled && fulfilledBy(job, attempt)),
    },
    cancelled: isCancelled ? pending : [],
    skipped: isTaskEnded(outcome.state) && !isCancelled ? pending : [],
    retry: outcome.retryAt === null ? null : retryOf(task, job, outcome.retryAt),
  };
}

/** Names the agent that an attempt failed on: those who read the reason of the Task look there. */
function onAgent(attempt: AttemptOutcome, { placement, worker }: JobRow): AttemptOutcome {
  const { state, reason } = attempt;
  const agent = placement === null ? null : agentOf(worker);
  if (agent === null || state === 'succeeded' || state === 'cancelled') return attempt;
  const place = `agent ${agent}`;
  if (reason?.includes(place)) return attempt;
  return { ...attempt, reason: reason === null ? `on ${place}` : `${reason.replace(/\.$/, '')} on ${place}` };
}

/** Whether a pending attempt is due by the start deadline of its Task: people may schedule one that is not. */
function startsInTime(task: TaskRow, job: PendingJob): boolean {
  const deadline = startDeadline(task);
  return deadline === null || job.scheduled_at <= deadline;
}

/** Returns the job of the next attempt, with the executor and the one-off environment of the ended one. */
function retryOf(task: TaskRow, { overrides, ...job }: JobRow, at: Instant): Omit<JobRow, 'id'> {
  const { runtemplate_id: id, app_id, company_id, executor, placement, rank } = job;
  const template = { id, app_id, company_id, executor, placement, priority: 0 - rank };
  const plan = { taskId: task.id, attempt: task.attempts + 1, trigger: 'retry' as const, at, caughtUp: task.caught_up };
  return { ...newJob(template, plan), overrides, environment: maskOverrides(overrides) };
}
