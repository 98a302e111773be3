import { Command } from 'commander';
import { version } from '../../version.ts';
import type { Io } from '../io.ts';

/** The width of help where no terminal shows it, in characters. */
export const defaultWidth = 80;

/** Builds the program without commands. */
export function emptyProgram(io: Io): Command {
  const width = () => io.width ?? defaultWidth;
  return new Command('horarium')
    .description('Knows what was owed, and whether it was done in time.')
    .version(version)
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void io.out(text),
      writeErr: (text) => void io.err(text),
      getOutHelpWidth: width,
      getErrHelpWidth: width,
    })
    .showHelpAfterError('(see "horarium --help")')
    .helpCommand(false);
}

/** Lets a failed command of the program say where its help is. */
export function pointToHelp(program: Command): void {
  for (const command of program.commands) command.showHelpAfterError(`(see "horarium ${command.name()} --help")`);
}
