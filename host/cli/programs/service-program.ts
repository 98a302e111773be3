import { Command } from 'commander';
import { addAgentCommand } from '../commands/agent-command.ts';
import { addServiceCommands } from '../commands/service-commands.ts';
import { version } from '../version.ts';
import type { Cli } from './command-session.ts';
import { commandGroups } from './help/command-groups.ts';

/** The width of help where no terminal shows it, in characters. */
export const defaultWidth = 80;

/** Builds the program with the commands of the service and of agents alone. */
export function serviceProgram(cli: Cli): Command {
  const { io } = cli;
  const width = () => io.width ?? defaultWidth;
  const program = new Command('horarium')
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
  program.commandsGroup(commandGroups.service);
  addServiceCommands(program, cli);
  addAgentCommand(program, io, async () => (await import('../../plugins/fleet-nats/agent/nats-link.ts')).connectHost);
  return program;
}
