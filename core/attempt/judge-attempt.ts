import type { ExitCode } from '../app/declarations.ts';
import type { Outcome } from '../executor/executor.ts';
import type { AttemptResult } from '../task/task-outcome.ts';

/** Why a running attempt was told to stop: `cancelled` by someone's wish, `lost` because its worker gives it up. */
export interface StopCause {
  readonly state: 'cancelled' | 'lost';
  readonly reason: string;
}

const successes = new Set(['success', 'info']);

/**
 * How an attempt ended. Exit code 0 is a success, and so is one that the App declares `success` or `info`. What was told
 * to stop was stopped, whatever it answered; what was cut off is lost. A failure with a code declared `retry: false` is
 * final.
 */
export function judgeAttempt(
  outcome: Outcome,
  declared: Readonly<Record<string, ExitCode>>,
  stop: StopCause | null,
): Pick<AttemptResult, 'state' | 'reason' | 'final'> {
  if (stop) return { state: stop.state, reason: stop.reason, final: false };
  if (outcome.lost) return { state: 'lost', reason: outcome.reason ?? ending(outcome), final: false };
  if (outcome.timedOut) return { state: 'timed_out', reason: outcome.reason ?? 'it took too long', final: false };
  const exit = outcome.exitCode === null ? undefined : declared[String(outcome.exitCode)];
  const success = outcome.exitCode === 0 || successes.has(exit?.severity ?? '');
  if (success) return { state: 'succeeded', reason: null, final: false };
  return { state: 'failed', reason: outcome.reason ?? ending(outcome), final: exit?.retry === false };
}

function ending({ exitCode, signal }: Outcome): string {
  if (signal) return `ended by ${signal}`;
  return exitCode === null ? 'it ended without an exit code' : `exit code ${exitCode}`;
}
