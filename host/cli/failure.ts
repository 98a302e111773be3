import { HorariumError } from '@horarium/core';
import { CommanderError } from 'commander';

/** How a command ends: scripts go by it. */
export const exitCodes = { done: 0, failed: 1, usage: 2, interrupted: 130 } as const;

/** Somebody at a terminal broke off what they were asked for. */
export class Interrupted extends Error {}

/** The exit code of a failure, and the sentences that say what it was; none where they were printed already. */
export function explain(error: unknown): { readonly code: number; readonly text: string } {
  // Closing failed as well; what went wrong first is what matters.
  if (error instanceof SuppressedError) return explain(error.suppressed);
  if (error instanceof CommanderError)
    return { code: error.exitCode === 0 ? exitCodes.done : exitCodes.usage, text: '' };
  if (error instanceof Interrupted) return { code: exitCodes.interrupted, text: '' };
  if (error instanceof HorariumError) return { code: exitCodes.failed, text: `${error.message}\n` };
  if (error instanceof Error && 'syscall' in error) return { code: exitCodes.failed, text: `${error.message}.\n` };
  const details = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { code: exitCodes.failed, text: `This is a mistake in Horarium itself, please report it:\n${details}\n` };
}
