import { withResourceNames } from '@horarium/core';
import type { Command } from 'commander';
import { addActionCommands } from '../commands/action-commands.ts';
import { addApiCommands } from '../commands/api-commands.ts';
import { addAuditCommands } from '../commands/audit-commands.ts';
import { addApplyCommand } from '../commands/configuration/apply.ts';
import { addExportCommand } from '../commands/configuration/export.ts';
import { addDeliveryCommands } from '../commands/delivery-commands.ts';
import { addDescribeCommands } from '../commands/describe-commands.ts';
import { addEventCommands } from '../commands/event-commands.ts';
import { addDoctorCommand } from '../commands/install/doctor.ts';
import { addServiceInstall } from '../commands/install/service-install.ts';
import { addJobCommands } from '../commands/job-commands.ts';
import { addBackfillCommand } from '../commands/operate/backfill.ts';
import { addPauseCommands } from '../commands/operate/pause.ts';
import { addPreviewCommand } from '../commands/operate/preview.ts';
import { addRetryCommand } from '../commands/operate/retry-tasks.ts';
import { addSimulateCommand } from '../commands/operate/simulate.ts';
import { addSummaryCommand } from '../commands/operate/summary.ts';
import { addWaiveCommand } from '../commands/operate/waive-tasks.ts';
import { addWhyCommands } from '../commands/operate/why.ts';
import { addPluginCommand, type PluginProgram } from '../commands/plugin-commands.ts';
import { addPluginKit } from '../commands/plugin-kit.ts';
import { addRecordCommands } from '../commands/record-commands.ts';
import { addBackupCommand } from '../commands/store/backup.ts';
import { addPruneCommand } from '../commands/store/prune.ts';
import { addRestoreCommand } from '../commands/store/restore.ts';
import { addRotateCommand } from '../commands/store/rotate-vault.ts';
import { addUserCommands } from '../commands/user-commands.ts';
import { standardModel } from '../model.ts';
import type { Cli } from './command-session.ts';
import { serviceProgram } from './service-program.ts';

/** Builds the program: every command with its options and arguments, also the commands of plugins. */
export function buildProgram(cli: Cli, plugins: PluginProgram = { commands: [], resources: [] }): Command {
  const { io } = cli;
  const program = serviceProgram(cli);
  addServiceInstall(program, io);
  addDoctorCommand(program, cli);
  addSummaryCommand(program, cli);
  addWhyCommands(program, cli);
  addPauseCommands(program, cli);
  for (const provided of plugins.commands) {
    program.commandsGroup(provided.command.group ?? 'Plugins:');
    addPluginCommand(program, cli, provided);
  }
  program.commandsGroup('Running:');
  addJobCommands(program, cli);
  addRetryCommand(program, cli);
  addWaiveCommand(program, cli);
  addBackfillCommand(program, cli);
  addDeliveryCommands(program, cli);
  addActionCommands(program, cli);
  addPreviewCommand(program, cli);
  addSimulateCommand(program, cli);
  program.commandsGroup('The configuration:');
  addExportCommand(program, cli);
  addApplyCommand(program, cli);
  program.commandsGroup('The store:');
  addBackupCommand(program, cli);
  addRestoreCommand(program, cli);
  addPruneCommand(program, cli);
  program.commandsGroup('Users, secrets and the audit log:');
  addUserCommands(program, cli);
  addRotateCommand(program, cli);
  addAuditCommands(program, cli);
  program.commandsGroup('Writing plugins:');
  addPluginKit(program, io);
  program.commandsGroup('Looking things up:');
  addDescribeCommands(program, io);
  addApiCommands(program, io);
  program.commandsGroup('Records:');
  const { resources } = io.model ?? standardModel;
  for (const resource of withResourceNames([...resources, ...plugins.resources]))
    addRecordCommands(program, cli, resource);
  addEventCommands(program, cli);
  return program;
}
