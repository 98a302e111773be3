import type { ExitCode } from '../../app/declarations.ts';
import type { AttemptResult } from '../../executor/executor.ts';
import type { AttemptOutcome } from '../../task/task-outcome.ts';

/** Why a running attempt is stopped: `cancelled` by a person or by the job that replaces it, `lost` with its worker's lease. */
export interface StopCause {
  readonly state: 'cancelled' | 'lost';
  readonly reason: string;
}

/** The severities of exit codes that count as success. */
const successSeverities = new Set(['success', 'info']);

/**
 * Decides the outcome of an attempt from the result that its executor reported. Exit code 0 is a success, and so is one
 * that the App declares `success` or `info`. An attempt with a cause to stop has the outcome of that cause, whatever its
 * exit code. A failure with a code that the App declares `retry: false` is final.
 */
export function attemptOutcome(
  result: AttemptResult,
  exitCodes: Readonly<Record<string, ExitCode>>,
  stop: StopCause | null,
): Pick<AttemptOutcome, 'state' | 'reason' | 'final'> {
  if (stop) return { state: stop.state, reason: stop.reason, final: false };
  if (result.lost) return { state: 'lost', reason: result.reason ?? endReason(result), final: false };
  if (result.timedOut) return { state: 'timed_out', reason: result.reason ?? 'it took too long', final: false };
  const declared = result.exitCode === null ? undefined : exitCodes[String(result.exitCode)];
  const success = result.exitCode === 0 || successSeverities.has(declared?.severity ?? '');
  if (success) return { state: 'succeeded', reason: null, final: false };
  return { state: 'failed', reason: result.reason ?? endReason(result), final: declared?.retry === false };
}

function endReason({ exitCode, signal }: AttemptResult): string {
  if (signal) return `ended by ${signal}`;
  return exitCode === null ? 'it ended without an exit code' : `exit code ${exitCode}`;
}
