import { HorariumError } from '@horarium/core';
import type { Command } from 'commander';
import { exitCodes, explain } from '../failure.ts';
import type { Io } from '../io.ts';

/**
 * Does the work of a command line, and says why it failed.
 * @param work calls what it is given with the command that it runs, whose options say how times are shown.
 * @returns the exit code.
 */
export async function exitCodeOf(io: Io, work: (runs: (command: Command) => void) => Promise<void>): Promise<number> {
  let running: Command | undefined;
  try {
    await work((command) => {
      running = command;
    });
    return exitCodes.done;
  } catch (error) {
    const { code, text } = explain(error);
    await io.err(running && error instanceof HorariumError ? await withLocalTimes(running, io, text) : text);
    return code;
  }
}

async function withLocalTimes(command: Command, io: Io, message: string): Promise<string> {
  const { localizeMessage } = await import('../shown/look.ts');
  return localizeMessage(command, io, message);
}
