import { type AnyResource, AuditTrail, allResources } from '@horarium/core';
import { Command } from 'commander';
import { addAppExportCommand, addAppImportCommand } from '../commands/app-files.ts';
import { addVerifyCommand } from '../commands/audit-verify.ts';
import { addConfigCommand } from '../commands/config.ts';
import { addCrontabImportCommand } from '../commands/crontab-import.ts';
import { addDescribeCommand } from '../commands/describe.ts';
import { addClaimCommand, addReportCommand } from '../commands/external-jobs.ts';
import { addOutputCommand } from '../commands/job-output.ts';
import { addMigrateCommand } from '../commands/migrate.ts';
import { addOpenApiCommand } from '../commands/openapi.ts';
import { addPermissionsCommand } from '../commands/permissions.ts';
import { addPluginsCommand } from '../commands/plugins.ts';
import { addDeleteCommand, addGetCommand } from '../commands/record-get.ts';
import { addListCommand } from '../commands/record-list.ts';
import { addSaveCommand } from '../commands/record-save.ts';
import { addRoutesCommand } from '../commands/routes.ts';
import { addCancelCommand, addRunCommand } from '../commands/run-template.ts';
import { addSchemaCommand } from '../commands/schema.ts';
import { addServeCommand } from '../commands/serve.ts';
import { addSimulateCommand } from '../commands/simulate.ts';
import { addStatusCommand } from '../commands/status.ts';
import { addTokenCommands } from '../commands/tokens.ts';
import { addPasswordCommand } from '../commands/user-password.ts';
import { addRotateCommand } from '../commands/vault-rotate.ts';
import { version } from '../version.ts';
import { exitCodes, explain } from './failure.ts';
import type { Io } from './io.ts';
import { openSession } from './open-session.ts';
import type { Cli } from './session.ts';

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

/** `help app:list` is what some type for `app:list --help`; help on what there is not is no help. */
function lineOf({ commands }: Command, given: readonly string[]): readonly string[] {
  const line = given[0] === 'help' ? [...given.slice(1), '--help'] : given;
  const [name] = line;
  const known = name === undefined || name.startsWith('-') || commands.some((command) => command.name() === name);
  return known ? line : [name];
}

function buildProgram(cli: Cli): Command {
  const { io } = cli;
  const program = new Command('horarium')
    .description('Knows what was owed, and whether it was done in time.')
    .version(version)
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ writeOut: (text) => void io.out(text), writeErr: (text) => void io.err(text) })
    .showHelpAfterError('(add --help to see what there is)')
    .helpCommand(false);
  program.commandsGroup('The service:');
  addServeCommand(program, io);
  addMigrateCommand(program, io);
  addStatusCommand(program, cli);
  addConfigCommand(program, io);
  program.commandsGroup('Bringing in what exists:');
  addAppImportCommand(program, cli);
  addAppExportCommand(program, cli);
  addCrontabImportCommand(program, cli);
  program.commandsGroup('Running:');
  addRunCommand(program, cli);
  addCancelCommand(program, cli);
  addClaimCommand(program, cli);
  addReportCommand(program, cli);
  addOutputCommand(program, cli);
  addSimulateCommand(program, cli);
  program.commandsGroup('Users, secrets and the audit log:');
  addTokenCommands(program, cli);
  addPasswordCommand(program, cli);
  addRotateCommand(program, cli);
  addVerifyCommand(program, cli);
  program.commandsGroup('Looking things up:');
  addDescribeCommand(program, io);
  addPermissionsCommand(program, io);
  addPluginsCommand(program, io);
  addRoutesCommand(program, io);
  addOpenApiCommand(program, io);
  addSchemaCommand(program, io);
  program.commandsGroup('Records:');
  for (const resource of [...allResources, AuditTrail]) addRecordCommands(program, cli, resource);
  return program;
}

const adders = { list: addListCommand, get: addGetCommand, save: addSaveCommand, delete: addDeleteCommand } as const;

function addRecordCommands(program: Command, cli: Cli, resource: AnyResource): void {
  for (const operation of resource.operations) adders[operation](program, cli, resource);
}
