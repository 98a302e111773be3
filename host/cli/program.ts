import { allResources } from '@horarium/core';
import { Command } from 'commander';
import { addApiCommands } from '../commands/api-commands.ts';
import { addAppExportCommand, addAppImportCommand } from '../commands/app-files.ts';
import { addCrontabImportCommand } from '../commands/crontab-import.ts';
import { addDescribeCommands } from '../commands/describe-commands.ts';
import { addJobCommands } from '../commands/job-commands.ts';
import { addRecordCommands } from '../commands/record-commands.ts';
import { addRotateCommand } from '../commands/rotate-vault.ts';
import { addServiceCommands } from '../commands/service-commands.ts';
import { addSimulateCommand } from '../commands/simulate.ts';
import { addUserCommands } from '../commands/user-commands.ts';
import { addVerifyCommand } from '../commands/verify-audit.ts';
import { version } from '../version.ts';
import { exitCodes, explain } from './failure.ts';
import type { Io } from './io.ts';
import { type Cli, openSession } from './session.ts';

/** Runs one command and returns its exit code: 0 done, 1 failed, 2 not understood. */
export async function runCli(io: Io): Promise<number> {
  const cli: Cli = { io, open: (command) => openSession(command, io) };
  try {
    const program = buildProgram(cli);
    await program.parseAsync(lineOf(program, io.arguments), { from: 'user' });
    return exitCodes.done;
  } catch (error) {
    const { code, text } = explain(error);
    await io.err(text);
    return code;
  }
}

/** Reads `help app:list` as `app:list --help`. Asking for help on an unknown command is refused like the command. */
function lineOf({ commands }: Command, given: readonly string[]): readonly string[] {
  const line = given[0] === 'help' ? [...given.slice(1), '--help'] : given;
  const [name] = line;
  const known = name === undefined || name.startsWith('-') || commands.some((command) => command.name() === name);
  return known ? line : [name];
}

/** Builds the program: every command with its options and arguments. */
export function buildProgram(cli: Cli): Command {
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
  program.commandsGroup('Bringing in what exists:');
  addAppImportCommand(program, cli);
  addAppExportCommand(program, cli);
  addCrontabImportCommand(program, cli);
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
  for (const resource of allResources) addRecordCommands(program, cli, resource);
  return program;
}
