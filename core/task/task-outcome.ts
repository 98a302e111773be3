import type { Instant } from '../loop/clock.ts';
import { formatInstant } from '../time/instant.ts';
import { retryAt } from '../time/retry.ts';
import { isTaskEnded, maxReason, type TaskRow, type TaskState, taskTransitions, taskVerbs } from './task.ts';
import { transition } from './transition.ts';

// Three pure functions decide how a Task leaves the states `open` and `running`: `taskOutcome` when an attempt has ended,
// `expiryChanges` when the start deadline has passed, and `waiverChanges` when the obligation is waived. A fourth decides
// about a Task that has ended: `repetitionChanges` when a repetition of it has succeeded.

/** How an attempt ended. */
export interface AttemptOutcome {
  readonly state: 'succeeded' | 'failed' | 'timed_out' | 'cancelled' | 'lost';
  readonly finishedAt: Instant;
  readonly reason: string | null;
  /** Whether no retry follows: the App declares `retry: false` for the exit code, or the attempt ended its workers. */
  readonly final: boolean;
  /** Who reported the end of a job that ran elsewhere; the service has only their word for it. */
  readonly reportedBy?: string;
}

/** The fields of a Task that decide its outcome. */
export type DecisiveTaskFields = Pick<
  TaskRow,
  | 'deadline'
  | 'window_end'
  | 'attempts'
  | 'max_attempts'
  | 'allow_late'
  | 'caught_up'
  | 'backfilled'
  | 'waived_reason'
  | 'retry_backoff'
  | 'retry_delay'
  | 'retry_max_delay'
>;

export interface TaskOutcome {
  readonly state: TaskState;
  readonly reason: string | null;
  /** When the next attempt is due; null = no retry follows. */
  readonly retryAt: Instant | null;
}

/**
 * Decides the state of a Task whose attempt has ended.
 * @param hasPendingJob whether another job of the Task, which a person requested, is scheduled already.
 */
export function taskOutcome(task: DecisiveTaskFields, attempt: AttemptOutcome, hasPendingJob: boolean): TaskOutcome {
  const { state } = attempt;
  if (state === 'succeeded') return outcomeOfSuccess(task, attempt);
  if (state === 'cancelled') return ended('cancelled', attempt.reason ?? 'the attempt was cancelled');
  if (task.waived_reason !== null) return ended('cancelled', task.waived_reason);
  const failure = failureReason(state, attempt.reason, task.attempts);
  if (attempt.final) return ended('failed', `${failure}, which is not retried`);
  if (hasPendingJob) return { state: 'open', reason: null, retryAt: null };
  if (task.attempts >= task.max_attempts)
    return ended('failed', task.attempts === 1 ? failure : `${failure}; all ${task.attempts} attempts are used up`);
  const next = retryAt(task, task.attempts, attempt.finishedAt);
  const limit = startDeadline(task);
  if (limit !== null && next > limit)
    return ended('failed', `${failure}; a retry would start after the start deadline`);
  return { state: 'open', reason: null, retryAt: next };
}

/** Returns the last time at which an attempt may start; null = any time: only the number of attempts limits them. */
export function startDeadline(
  task: Pick<DecisiveTaskFields, 'deadline' | 'window_end' | 'allow_late' | 'caught_up'>,
): Instant | null {
  if (task.caught_up) return null;
  return task.allow_late ? task.window_end : task.deadline;
}

/** What kept attempts at a Task from starting. */
export interface ExpiryCause {
  /** Whether its job was due in time, but blocked by another job of the template. */
  readonly wasBlocked: boolean;
  /** Who paused its template, and until when; null = no pause was in force. */
  readonly paused: string | null;
}

/**
 * Returns the changes of an open Task whose start deadline has passed: it is `missed` when no attempt was started, else
 * `failed`; in a pause it is `cancelled` when no attempt was started.
 */
export function expiryChanges(task: TaskRow, { wasBlocked, paused }: ExpiryCause, now: Instant): Partial<TaskRow> {
  const limit = `the start deadline, ${formatInstant(task.start_deadline as Instant)}`;
  if (task.attempts > 0) {
    const pausedText = paused === null ? '' : `; ${paused}`;
    return outcomeChanges(task, ended('failed', `no further attempt was started by ${limit}${pausedText}`), now);
  }
  if (paused !== null) return outcomeChanges(task, ended('cancelled', paused), now);
  const reason = wasBlocked
    ? `another job of the template was running until ${limit}`
    : `no attempt was started by ${limit}`;
  return outcomeChanges(task, ended('missed', reason), now);
}

/**
 * Returns the changes of a Task that is no longer owed. An open Task is `cancelled`. A running attempt may finish and
 * decides its Task, but no retry follows.
 */
export function waiverChanges(task: TaskRow, reason: string, now: Instant): Partial<TaskRow> {
  return task.state === 'running' ? { waived_reason: reason } : outcomeChanges(task, ended('cancelled', reason), now);
}

/**
 * Returns the changes of an ended Task after a repetition has succeeded; null = it stays as it is, because it was
 * fulfilled before. It keeps the time at which it ended, so that it counts for that day.
 */
export function repetitionChanges(
  { state, reason }: Pick<TaskRow, 'state' | 'reason'>,
  { reportedBy }: Pick<AttemptOutcome, 'reportedBy'>,
): Partial<TaskRow> | null {
  if (state === 'fulfilled' || state === 'fulfilled_late') return null;
  const { reason: text } = ended(
    'fulfilled_late',
    `a repetition succeeded${asReported(reportedBy)}; before, it ${taskVerbs[state]}: ${reason}`,
  );
  return { state: transition(taskTransitions, state, 'fulfilled_late'), reason: text };
}

/**
 * Returns the changes that give a Task this outcome.
 * @param at when it ended, if it has.
 * @throws Error when its state does not allow the new one.
 */
export function outcomeChanges(task: TaskRow, { state, reason }: TaskOutcome, at: Instant): Partial<TaskRow> {
  const start_deadline = state === 'open' ? startDeadline(task) : null;
  const ended_at = isTaskEnded(state) ? at : null;
  return { state: transition(taskTransitions, task.state, state), reason, start_deadline, ended_at };
}

function outcomeOfSuccess(task: DecisiveTaskFields, attempt: AttemptOutcome): TaskOutcome {
  const source = asReported(attempt.reportedBy);
  if (task.backfilled) return ended('fulfilled_late', `backfilled${source}`);
  if (task.caught_up) return ended('fulfilled_late', `caught up after downtime or a pause${source}`);
  if (attempt.finishedAt <= task.deadline) return ended('fulfilled', `succeeded in time${source}`);
  if (task.allow_late) return ended('fulfilled_late', `succeeded after the deadline${source}`);
  if (task.waived_reason !== null) return ended('cancelled', task.waived_reason);
  return ended('failed', 'succeeded after the deadline, which does not count');
}

function asReported(by: string | undefined): string {
  return by === undefined ? '' : `, as ${by} reported`;
}

const failures = { failed: 'failed', timed_out: 'timed out', lost: 'was lost' } as const;

/** Says why an attempt failed, in a clause: of the only one, its reason says enough. */
function failureReason(state: keyof typeof failures, reason: string | null, attempts: number): string {
  const clause = reason?.replace(/\.$/, '');
  if (attempts === 1 && state === 'failed' && clause) return clause;
  const failure = `the ${attempts === 1 ? '' : 'last '}attempt ${failures[state]}`;
  return clause ? `${failure} (${clause})` : failure;
}

function ended(state: TaskState, reason: string): TaskOutcome {
  return { state, reason: reason.slice(0, maxReason), retryAt: null };
}
