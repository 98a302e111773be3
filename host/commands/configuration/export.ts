import { Company } from '@horarium/core';
import type { Command } from 'commander';
import { addStoreOptions, type Cli } from '../../cli/command-session.ts';
import { recordIdHelp, recordIdOf } from '../../cli/record-id.ts';
import { writeReplaceableFile } from '../../cli/replaceable-file.ts';
import { escapeControls } from '../../cli/shown/terminal-text.ts';
import { exportedFiles, writeConfiguration } from './configuration-yaml.ts';

/** Adds `export`, which writes what the service runs and when as YAML. */
export function addExportCommand(program: Command, cli: Cli): void {
  const command = addStoreOptions(program.command('export'))
    .description(
      'Write the configuration as YAML for git, without secrets. It is apps, run templates, rules and calendars.',
    )
    .argument('[file]', 'the file; an older export is replaced; - is standard output', '-')
    .option('--company <company>', `only what belongs to a company: ${recordIdHelp(Company)}`)
    .addHelpText(
      'after',
      `
Records are named by their codes and names, so that the file can be applied to another service. What has its
default is left out, and ${'•'.repeat(8)} stands for every secret. Users, their rights, pauses and the history are not in it:
"horarium backup" copies those.

Examples:
  horarium export horarium.yaml && git commit -m "Run the backup hourly" horarium.yaml
  horarium export --company acme`,
    );
  command.action(async (name: string) => {
    const { company: named } = command.opts<{ company?: string }>();
    await using session = await cli.open(command);
    const { core, actor } = session;
    const companies = core.records(Company);
    const company =
      named === undefined ? undefined : (await companies.get(actor, await recordIdOf(session, Company, named))).code;
    const { records, warnings } = await core.configuration.export(actor, { company });
    const text = await writeConfiguration(records);
    if (name === '-') await cli.io.out(text);
    else await writeReplaceableFile(cli.io, name, exportedFiles, (write) => write(text));
    for (const warning of warnings) await cli.io.err(`Warning: ${escapeControls(warning)}\n`);
    await cli.io.err(`${records.length} record${records.length === 1 ? '' : 's'}.\n`);
  });
}
