import { type AnyCommand, HorariumError } from '@horarium/core';
import { Command } from 'commander';
import { addApiCommands } from '../commands/api-commands.ts';
import { addDescribeCommands } from '../commands/describe-commands.ts';
import { addJobCommands } from '../commands/job-commands.ts';
import { addPluginCommand, pluginCommands } from '../commands/plugin-commands.ts';
import { addRecordCommands } from '../commands/record-commands.ts';
import { addRotateCommand } from '../commands/rotate-vault.ts';
import { addServiceCommands } from '../commands/service-commands.ts';
import { addSimulateCommand } from '../commands/simulate.ts';
import { addUserCommands } from '../commands/user-commands.ts';
import { addVerifyCommand } from '../commands/verify-audit.ts';
import { version } from '../version.ts';
import { exitCodes, explain } from './failure.ts';
import { type Io, resourcesOf } from './io.ts';
import { type Cli, openSession } from './session.ts';

/** Runs one command and returns its exit code: 0 done, 1 failed, 2 not understood. */
export async function runCli(io: Io): Promise<number> {
  const cli: Cli = { io, open: (command) => openSession(command, io) };
  try {
    const program = await completeProgram(cli);
    await program.parseAsync(lineOf(program, io.arguments), { from: 'user' });
    return exitCodes.done;
  } catch (error) {
    const { code, text } = explain(error);
    await io.err(text);
    return code;
  }
}

/** Loads plugins only for a line that needs their commands: one of them, or the list of all. */
async function completeProgram(cli: Cli): Promise<Command> {
  const program = buildProgram(cli);
  const [name = '--help', ...rest] = cli.io.arguments;
  const asksForAll = name === '--help' || name === '-h' || (name === 'help' && rest.length === 0);
  const wanted = name === 'help' ? rest[0] : name;
  if (!asksForAll && (wanted?.startsWith('-') || isKnown(program, wanted))) return program;
  try {
    const contributed = await pluginCommands(cli.io);
    const taken = contributed.find((command) => isKnown(program, command.name));
    if (taken) throw new HorariumError('conflict', `A plugin brings the command ${taken.name}, which is built in.`);
    return buildProgram(cli, contributed);
  } catch (error) {
    if (!asksForAll || !(error instanceof HorariumError)) throw error;
    await cli.io.err(`${error.message}\n`);
    return program;
  }
}

function isKnown({ commands }: Command, name: string | undefined): boolean {
  return commands.some((command) => command.name() === name);
}

/** Reads `help app:list` as `app:list --help`. Asking for help on an unknown command is refused like the command. */
function lineOf(program: Command, given: readonly string[]): readonly string[] {
  const line = given[0] === 'help' ? [...given.slice(1), '--help'] : given;
  const [name] = line;
  return name === undefined || name.startsWith('-') || isKnown(program, name) ? line : [name];
}

/** Builds the program: every command with its options and arguments, those of plugins included. */
export function buildProgram(cli: Cli, contributed: readonly AnyCommand[] = []): Command {
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
  for (const command of contributed) {
    program.commandsGroup(command.group ?? 'Plugins:');
    addPluginCommand(program, cli, command);
  }
  program.commandsGroup('Running:');
  addJobCommands(program, cli);
  addSimulateCommand(program, cli);
  program.commandsGroup('Users, secrets and the audit log:');
  addUserCommands(program, cli);
  addRotateCommand(program, cli);
  addVerifyCommand(program, cli);
  program.commandsGroup('Looking things up:');
  addDescribeCommands(program, io);
  addApiCommands(program, io);
  program.commandsGroup('Records:');
  for (const resource of resourcesOf(io)) addRecordCommands(program, cli, resource);
  return program;
}
