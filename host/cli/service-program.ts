import { Command } from 'commander';
import { addServiceCommands } from '../commands/service-commands.ts';
import { version } from '../version.ts';
import type { Cli } from './command-session.ts';

/** Builds the program with the commands of the service alone. */
export function serviceProgram(cli: Cli): Command {
  const { io } = cli;
  const program = new Command('horarium')
    .description('Knows what was owed, and whether it was done in time.')
    .version(version)
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ writeOut: (text) => void io.out(text), writeErr: (text) => void io.err(text) })
    .showHelpAfterError('(--help lists what there is)')
    .helpCommand(false);
  program.commandsGroup('The service:');
  addServiceCommands(program, cli);
  return program;
}
