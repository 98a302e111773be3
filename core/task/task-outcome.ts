import type { Instant } from '../loop/clock.ts';
import { type RetryRule, retryAt } from '../time/retry.ts';
import type { TaskState } from './task.ts';

/** What the verdict on a Task is made from. */
export interface TaskLimits extends RetryRule {
  readonly deadline: Instant;
  readonly window_end: Instant;
  readonly attempts: number;
  readonly max_attempts: number;
  readonly allow_late: boolean;
  readonly caught_up: boolean;
  readonly waived: string | null;
}

/** How an attempt of it ended. */
export interface AttemptResult {
  readonly state: 'succeeded' | 'failed' | 'timed_out' | 'cancelled' | 'lost';
  readonly finishedAt: Instant;
  readonly reason: string | null;
  /** The App declares that this exit code is not worth another attempt. */
  readonly final: boolean;
}

export interface TaskOutcome {
  readonly state: TaskState;
  readonly reason: string | null;
  /** When the next attempt is due; null = none follows by itself. */
  readonly retryAt: Instant | null;
}

/** Until when an attempt may start; null = until the attempts are used up. */
export function lastStart(
  task: Pick<TaskLimits, 'deadline' | 'window_end' | 'allow_late' | 'caught_up'>,
): Instant | null {
  if (task.caught_up) return null;
  return task.allow_late ? task.window_end : task.deadline;
}

/**
 * What becomes of a Task when an attempt of it has ended. `pending` says that another attempt of it, which somebody
 * asked for, is already waiting.
 */
export function taskOutcome(task: TaskLimits, end: AttemptResult, pending: boolean): TaskOutcome {
  if (end.state === 'succeeded') return success(task, end);
  if (end.state === 'cancelled') return ended('cancelled', end.reason ?? 'the attempt was cancelled');
  if (task.waived !== null) return ended('cancelled', task.waived);
  if (end.final) return ended('failed', `${failure(end)}, which the app declares final`);
  if (pending) return { state: 'open', reason: null, retryAt: null };
  if (task.attempts >= task.max_attempts) return ended('failed', `${failure(end)}; ${used(task.attempts)}`);
  const next = retryAt(task, task.attempts, end.finishedAt);
  const last = lastStart(task);
  if (last !== null && next > last) return ended('failed', `${failure(end)}; a retry would start too late`);
  return { state: 'open', reason: null, retryAt: next };
}

function success(task: TaskLimits, end: AttemptResult): TaskOutcome {
  if (task.caught_up) return ended('fulfilled_late', 'caught up after downtime');
  if (end.finishedAt <= task.deadline) return ended('fulfilled', 'succeeded in time');
  if (task.allow_late) return ended('fulfilled_late', 'succeeded after the deadline');
  if (task.waived !== null) return ended('cancelled', task.waived);
  return ended('failed', 'succeeded after the deadline, which does not count');
}

function failure(end: AttemptResult): string {
  const words = {
    failed: 'the last attempt failed',
    timed_out: 'the last attempt timed out',
    lost: 'the last attempt was lost',
  };
  const what = words[end.state as keyof typeof words];
  return end.reason ? `${what} (${end.reason})` : what;
}

function used(attempts: number): string {
  return attempts === 1 ? 'there was only one attempt' : `all ${attempts} attempts are used up`;
}

function ended(state: TaskState, reason: string | null): TaskOutcome {
  return { state, reason: reason?.slice(0, 1000) ?? null, retryAt: null };
}
