import { type AnyCommand, HorariumError } from '@horarium/core';
import { Command } from 'commander';
import { addApiCommands } from '../commands/api-commands.ts';
import { addDeliveryCommands } from '../commands/delivery-commands.ts';
import { addDescribeCommands } from '../commands/describe-commands.ts';
import { addEventCommands } from '../commands/event-commands.ts';
import { addJobCommands } from '../commands/job-commands.ts';
import { addPluginCommand, loadPluginCommands } from '../commands/plugin-commands.ts';
import { addPluginKit } from '../commands/plugin-kit.ts';
import { addRecordCommands } from '../commands/record-commands.ts';
import { addRotateCommand } from '../commands/rotate-vault.ts';
import { addServiceCommands } from '../commands/service-commands.ts';
import { addSimulateCommand } from '../commands/simulate.ts';
import { addUserCommands } from '../commands/user-commands.ts';
import { addVerifyCommand } from '../commands/verify-audit.ts';
import { version } from '../version.ts';
import { type Cli, openCommandSession } from './command-session.ts';
import { exitCodes, explain } from './failure.ts';
import { type Io, resourcesOf } from './io.ts';

/**
 * Runs one command and returns its exit code: 0 for success, 1 for failure, 2 for a command line that cannot be parsed.
 */
export async function runCli(io: Io): Promise<number> {
  const cli: Cli = { io, open: (command) => openCommandSession(command, io) };
  try {
    const program = await programFor(cli);
    await program.parseAsync(rewriteHelp(program, io.arguments), { from: 'user' });
    return exitCodes.done;
  } catch (error) {
    const { code, text } = explain(error);
    await io.err(text);
    return code;
  }
}

/**
 * Builds the program with the commands that the command line needs. Plugins are loaded only for one of their commands,
 * or for the list of all commands.
 */
async function programFor(cli: Cli): Promise<Command> {
  const program = buildProgram(cli);
  const [name = '--help', ...rest] = cli.io.arguments;
  const listsAll = name === '--help' || name === '-h' || (name === 'help' && rest.length === 0);
  const commandName = name === 'help' ? rest[0] : name;
  if (!listsAll && (commandName?.startsWith('-') || isKnown(program, commandName))) return program;
  try {
    const pluginCommands = await loadPluginCommands(cli.io);
    const duplicate = pluginCommands.find((command) => isKnown(program, command.name));
    if (duplicate)
      throw new HorariumError('conflict', `A plugin provides the command ${duplicate.name}, which is built in.`);
    return buildProgram(cli, pluginCommands);
  } catch (error) {
    if (!listsAll || !(error instanceof HorariumError)) throw error;
    await cli.io.err(`${error.message}\n`);
    return program;
  }
}

function isKnown({ commands }: Command, name: string | undefined): boolean {
  return commands.some((command) => command.name() === name);
}

/** Rewrites `help app:list` as `app:list --help`. Help on an unknown command fails like that command. */
function rewriteHelp(program: Command, words: readonly string[]): readonly string[] {
  const line = words[0] === 'help' ? [...words.slice(1), '--help'] : words;
  const [name] = line;
  return name === undefined || name.startsWith('-') || isKnown(program, name) ? line : [name];
}

/** Builds the program: every command with its options and arguments, those of plugins included. */
export function buildProgram(cli: Cli, pluginCommands: readonly AnyCommand[] = []): Command {
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
  for (const command of pluginCommands) {
    program.commandsGroup(command.group ?? 'Plugins:');
    addPluginCommand(program, cli, command);
  }
  program.commandsGroup('Running:');
  addJobCommands(program, cli);
  addDeliveryCommands(program, cli);
  addSimulateCommand(program, cli);
  program.commandsGroup('Users, secrets and the audit log:');
  addUserCommands(program, cli);
  addRotateCommand(program, cli);
  addVerifyCommand(program, cli);
  program.commandsGroup('Writing plugins:');
  addPluginKit(program, io);
  program.commandsGroup('Looking things up:');
  addDescribeCommands(program, io);
  addApiCommands(program, io);
  program.commandsGroup('Records:');
  for (const resource of resourcesOf(io)) addRecordCommands(program, cli, resource);
  addEventCommands(program, cli);
  return program;
}
