import { HorariumError, PluginFailure } from '@horarium/core';
import { CommanderError } from 'commander';
import { escapeControls } from './shown/terminal-text.ts';

/** The exit codes of commands, for scripts. */
export const exitCodes = { done: 0, failed: 1, usage: 2, interrupted: 130 } as const;

/** What the exit codes of commands mean, for the handbook. */
export const exitCodeMeanings: Readonly<Record<(typeof exitCodes)[keyof typeof exitCodes], string>> = {
  0: 'The command has done what it was asked to.',
  1: 'It failed, and the error output says why; of summary: something is not on time; of doctor: a check failed.',
  2: 'The command line cannot be read: an unknown command or option, or a value that is missing.',
  130: 'Ctrl-C or Ctrl-D was pressed at a prompt.',
};

/** Thrown when the user presses Ctrl-C or Ctrl-D at a prompt of the command. */
export class Interrupted extends Error {}

/** Thrown by a command that has done its work, to end with the exit code of what it found. */
export class CommandExit extends Error {
  readonly code: number;

  constructor(code: number) {
    super();
    this.code = code;
  }
}

/** Whether an error is no bug: it says what the user or the machine has to change. */
export function isExplained(error: unknown): boolean {
  return (
    error instanceof HorariumError ||
    error instanceof CommanderError ||
    error instanceof Interrupted ||
    error instanceof CommandExit ||
    // Errors of the operating system, such as a file that does not exist, need no stack.
    (error instanceof Error && 'syscall' in error)
  );
}

/** Returns the exit code of a failed command and its message, which is empty if it has been printed already. */
export function explain(error: unknown): { readonly code: number; readonly text: string } {
  // The failure to close hides the one before it, which is the cause.
  if (error instanceof SuppressedError) return explain(error.suppressed);
  if (error instanceof CommanderError)
    return { code: error.exitCode === 0 ? exitCodes.done : exitCodes.usage, text: '' };
  if (error instanceof CommandExit) return { code: error.code, text: '' };
  if (error instanceof Interrupted) return { code: exitCodes.interrupted, text: '' };
  // A message may quote a record's name, which any user with the right to save it has chosen.
  if (error instanceof HorariumError) return { code: exitCodes.failed, text: `${escapeControls(error.message)}\n` };
  if (error instanceof Error && 'syscall' in error) return { code: exitCodes.failed, text: `${error.message}.\n` };
  const [culprit, cause] =
    error instanceof PluginFailure ? [`the plugin ${error.plugin}`, error.cause] : ['Horarium', error];
  const details = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
  return { code: exitCodes.failed, text: `This is a bug in ${culprit}, please report it:\n${details}\n` };
}
