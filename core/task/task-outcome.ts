import type { Instant } from '../loop/clock.ts';
import { formatInstant } from '../time/instant.ts';
import { retryAt } from '../time/retry.ts';
import { type TaskRow, type TaskState, taskTransitions } from './task.ts';
import { transition } from './transition.ts';

// Three pure functions decide how a Task leaves the states `open` and `running`: `taskOutcome` when an attempt has ended,
// `expiredTask` when the last moment to start an attempt has passed, and `waivedTask` when the obligation is waived.

/** How an attempt ended. */
export interface AttemptOutcome {
  readonly state: 'succeeded' | 'failed' | 'timed_out' | 'cancelled' | 'lost';
  readonly finishedAt: Instant;
  readonly reason: string | null;
  /** Whether the App declares `retry: false` for this exit code. */
  readonly final: boolean;
}

/** The fields of a Task that `taskOutcome` decides by. */
export type TaskLimits = Pick<
  TaskRow,
  | 'deadline'
  | 'window_end'
  | 'attempts'
  | 'max_attempts'
  | 'allow_late'
  | 'caught_up'
  | 'waived'
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
 * @param hasPending whether another attempt, which a person requested, is scheduled already.
 */
export function taskOutcome(task: TaskLimits, attempt: AttemptOutcome, hasPending: boolean): TaskOutcome {
  if (attempt.state === 'succeeded') return outcomeOfSuccess(task, attempt);
  if (attempt.state === 'cancelled') return ended('cancelled', attempt.reason ?? 'the attempt was cancelled');
  if (task.waived !== null) return ended('cancelled', task.waived);
  if (attempt.final) return ended('failed', `${failureReason(attempt)}, which the app declares final`);
  if (hasPending) return { state: 'open', reason: null, retryAt: null };
  if (task.attempts >= task.max_attempts)
    return ended('failed', `${failureReason(attempt)}; ${attemptsUsed(task.attempts)}`);
  const next = retryAt(task, task.attempts, attempt.finishedAt);
  const last = lastStart(task);
  if (last !== null && next > last) return ended('failed', `${failureReason(attempt)}; a retry would start too late`);
  return { state: 'open', reason: null, retryAt: next };
}

/** The last moment at which an attempt may start; null = no limit but the number of attempts. */
export function lastStart(
  task: Pick<TaskLimits, 'deadline' | 'window_end' | 'allow_late' | 'caught_up'>,
): Instant | null {
  if (task.caught_up) return null;
  return task.allow_late ? task.window_end : task.deadline;
}

/**
 * Returns the changes of an open Task whose last moment to start has passed: it is `missed` when no attempt was started,
 * else `failed`.
 * @param wasBlocked whether its job was due in time, but blocked by another job of the template.
 */
export function expiredTask(task: TaskRow, wasBlocked: boolean): Partial<TaskRow> {
  const until = formatInstant(task.last_start as Instant);
  if (task.attempts > 0)
    return settledTask(task, ended('failed', `no further attempt was started by ${until}, the last moment for it`));
  const reason = wasBlocked
    ? `another job of the template was running until ${until}, the last moment to start`
    : `nothing was started by ${until}, the last moment for it`;
  return settledTask(task, ended('missed', reason));
}

/**
 * Returns the changes of a Task that is no longer owed. An open Task is `cancelled`. A running attempt may finish and
 * decides its Task, but no retry follows.
 */
export function waivedTask(task: TaskRow, reason: string): Partial<TaskRow> {
  return task.state === 'running' ? { waived: reason } : settledTask(task, ended('cancelled', reason));
}

/** Returns the changes of a Task with this outcome. @throws Error when its state does not allow the new one. */
export function settledTask(task: TaskRow, { state, reason }: TaskOutcome): Partial<TaskRow> {
  const last_start = state === 'open' ? lastStart(task) : null;
  return { state: transition(taskTransitions, task.state, state), reason, last_start };
}

function outcomeOfSuccess(task: TaskLimits, attempt: AttemptOutcome): TaskOutcome {
  if (task.caught_up) return ended('fulfilled_late', 'caught up after downtime');
  if (attempt.finishedAt <= task.deadline) return ended('fulfilled', 'succeeded in time');
  if (task.allow_late) return ended('fulfilled_late', 'succeeded after the deadline');
  if (task.waived !== null) return ended('cancelled', task.waived);
  return ended('failed', 'succeeded after the deadline, which does not count');
}

function failureReason(attempt: AttemptOutcome): string {
  const sentences = {
    failed: 'the last attempt failed',
    timed_out: 'the last attempt timed out',
    lost: 'the last attempt was lost',
  };
  const sentence = sentences[attempt.state as keyof typeof sentences];
  return attempt.reason ? `${sentence} (${attempt.reason})` : sentence;
}

function attemptsUsed(attempts: number): string {
  return attempts === 1 ? 'there was only one attempt' : `all ${attempts} attempts are used up`;
}

function ended(state: TaskState, reason: string): TaskOutcome {
  return { state, reason: reason.slice(0, 1000), retryAt: null };
}
