import { basename, resolve } from 'node:path';
import { Job, type ReportedFile, reportFields } from '@horarium/core';
import type { Command } from 'commander';
import { fieldOption, givenFields } from '../cli/field-options.ts';
import { readIdArgument } from '../cli/id-argument.ts';
import type { Io } from '../cli/io.ts';
import { print } from '../cli/output-option.ts';
import { readBytes } from '../cli/read-files.ts';
import { readJsonFile } from '../cli/read-json-file.ts';
import type { Cli } from '../cli/session.ts';
import { addStoreCommand } from '../cli/store-command.ts';

/** `job:claim ID`: for whoever does the work of an external executor. */
export function addClaimCommand(program: Command, cli: Cli): void {
  const command = addStoreCommand(program, 'job:claim')
    .description('Take a due job of an external executor; its ping_url, for heartbeats, is shown this once.')
    .argument('<id>', 'its number', readIdArgument);
  command.action(async (id: number) => {
    await using session = await cli.open(command);
    const { core, actor } = session;
    const { job, pingUrl } = await core.externalJobs.claim(actor, id);
    const [shown] = await core.show(Job, [job], 'item');
    await print(cli.io, command, { ...shown, ping_url: pingUrl });
    await cli.io.err(`Job ${id} is yours; job:report ${id} says how it goes.\n`);
  });
}

const filesField = 'artifacts';

/** `job:report ID`: an option for each field of a report, where files are named instead of written out. */
export function addReportCommand(program: Command, cli: Cli): void {
  const told = reportFields.filter(({ name }) => name !== filesField);
  const command = addStoreCommand(program, 'job:report')
    .description('Report how a job goes that was claimed, or how it ended.')
    .argument('<id>', 'its number', readIdArgument)
    .option('--json <file>', 'fields from a file with a JSON object; - reads the input')
    .option('--artifact <files...>', 'files that it leaves, kept under their names without folders');
  for (const field of told) command.addOption(fieldOption(field));
  command.action(async (id: number) => {
    const options = command.opts<{ json?: string; artifact?: readonly string[] }>();
    const fromFile = options.json === undefined ? {} : await readJsonFile(cli.io, options.json);
    const files = options.artifact && { [filesField]: await filesNamed(cli.io, options.artifact) };
    const report = { ...fromFile, ...givenFields(Job, told, options), ...files };
    await using session = await cli.open(command);
    const { core, actor } = session;
    const { state } = await core.externalJobs.report(actor, id, report);
    await cli.io.err(state === 'running' ? `Job ${id} is running.\n` : `Job ${id} has ended: it is ${state}.\n`);
  });
}

function filesNamed(io: Io, names: readonly string[]): Promise<ReportedFile[]> {
  const one = async (name: string) => {
    const content = Buffer.from(await readBytes(io, resolve(io.folder, name)));
    return { filename: basename(name), content: content.toString('base64') };
  };
  return Promise.all(names.map(one));
}
