import type { ExitCode } from '../app/declarations.ts';
import type { AttemptResult } from '../executor/executor.ts';
import type { AttemptOutcome } from '../task/task-outcome.ts';

/** Why a running attempt was asked to stop: `cancelled` by a person or a replacement, `lost` because its worker abandons it. */
export interface StopCause {
  readonly state: 'cancelled' | 'lost';
  readonly reason: string;
}

const successes = new Set(['success', 'info']);

/**
 * Decides the outcome of an attempt from the result that its executor reported. Exit code 0 is a success, and so is one
 * that the App declares `success` or `info`. An attempt that was asked to stop was stopped, whatever its exit code; one
 * that was cut off is lost. A failure with a code declared `retry: false` is final.
 */
export function attemptOutcome(
  result: AttemptResult,
  exitCodes: Readonly<Record<string, ExitCode>>,
  stop: StopCause | null,
): Pick<AttemptOutcome, 'state' | 'reason' | 'final'> {
  if (stop) return { state: stop.state, reason: stop.reason, final: false };
  if (result.lost) return { state: 'lost', reason: result.reason ?? ending(result), final: false };
  if (result.timedOut) return { state: 'timed_out', reason: result.reason ?? 'it took too long', final: false };
  const declared = result.exitCode === null ? undefined : exitCodes[String(result.exitCode)];
  const success = result.exitCode === 0 || successes.has(declared?.severity ?? '');
  if (success) return { state: 'succeeded', reason: null, final: false };
  return { state: 'failed', reason: result.reason ?? ending(result), final: declared?.retry === false };
}

function ending({ exitCode, signal }: AttemptResult): string {
  if (signal) return `ended by ${signal}`;
  return exitCode === null ? 'it ended without an exit code' : `exit code ${exitCode}`;
}
