import type { Command } from 'commander';
import { addAgentCommand } from '../../commands/agent-command.ts';
import { addServiceCommands } from '../../commands/service-commands.ts';
import type { Cli } from '../command-session.ts';
import { commandGroups } from '../help/command-groups.ts';
import { emptyProgram } from './empty-program.ts';

/** Builds the program with the commands of the service and of agents alone. */
export function serviceProgram(cli: Cli): Command {
  const { io } = cli;
  const program = emptyProgram(io);
  program.commandsGroup(commandGroups.service);
  addServiceCommands(program, cli);
  addAgentCommand(program, io, {
    connect: async () => (await import('../../../plugins/fleet-nats/agent/nats-link.ts')).connectHost,
    plugins: async () => (await import('../../plugins/built-in.ts')).loadConfiguredPlugins,
  });
  return program;
}
