import { HorariumError } from '@horarium/core';
import { CommanderError } from 'commander';

/** The exit codes of commands, for scripts. */
export const exitCodes = { done: 0, failed: 1, usage: 2, interrupted: 130 } as const;

/** Ctrl-C or Ctrl-D at a question of the command. */
export class Interrupted extends Error {}

/** Gives the exit code of a failure, and its sentences; none where they were printed already. */
export function explain(error: unknown): { readonly code: number; readonly text: string } {
  // Closing failed as well, but the first failure is the cause.
  if (error instanceof SuppressedError) return explain(error.suppressed);
  if (error instanceof CommanderError)
    return { code: error.exitCode === 0 ? exitCodes.done : exitCodes.usage, text: '' };
  if (error instanceof Interrupted) return { code: exitCodes.interrupted, text: '' };
  if (error instanceof HorariumError) return { code: exitCodes.failed, text: `${error.message}\n` };
  if (error instanceof Error && 'syscall' in error) return { code: exitCodes.failed, text: `${error.message}.\n` };
  const details = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { code: exitCodes.failed, text: `This is a mistake in Horarium itself, please report it:\n${details}\n` };
}
