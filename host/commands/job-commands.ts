import { basename, resolve } from 'node:path';
import { Job, type ReportedFile, RunTemplate, reportFields } from '@horarium/core';
import { type Command, Option } from 'commander';
import { readIdArgument } from '../cli/arguments.ts';
import { addStoreCommand, addStoreOptions, type Cli } from '../cli/command-session.ts';
import { fieldOption, fieldTexts, givenFields } from '../cli/field-options.ts';
import type { Io } from '../cli/io.ts';
import { printWarnings } from '../cli/output.ts';
import { readBytes, readJsonFile } from '../cli/read-files.ts';
import { recordArgument, recordIdHelp, recordIdOf } from '../cli/record-id.ts';
import { printRecord } from '../cli/records/print-records.ts';
import { addTimeOption, lookOf } from '../cli/shown/look.ts';
import { shownTime } from '../cli/shown/times.ts';
import { addRunOptions, runFields } from './run-options.ts';

/** Adds the commands that schedule, follow and cancel single jobs. */
export function addRunCommands(program: Command, cli: Cli): void {
  addRun(program, cli);
  addOutput(program, cli);
  addCancel(program, cli);
}

/** Adds the commands of work that is done outside the service: `job:claim` and `job:report`. */
export function addExternalJobCommands(program: Command, cli: Cli): void {
  addClaim(program, cli);
  addReport(program, cli);
}

/** Adds `runtemplate:run ID`, which schedules an ad hoc job; a running service starts it. */
function addRun(program: Command, cli: Cli): void {
  const command = addRunOptions(addStoreCommand(program, 'runtemplate:run'))
    .description('Run a template once, now or at a given time. The running service starts the job.')
    .argument('<id>', recordIdHelp(RunTemplate), recordArgument(RunTemplate));
  command.action(async (template: string) => {
    await using session = await cli.open(command);
    const { core, actor } = session;
    const runtemplate_id = await recordIdOf(session, RunTemplate, template);
    const job = await core.jobs.schedule(actor, { runtemplate_id, ...runFields(command) });
    const [shown] = await core.forChannels.serialize(Job, [job], 'list');
    await printRecord(session, cli.io, command, { resource: Job, record: shown as Record<string, unknown> });
    await printWarnings(cli.io, job);
    await cli.io.err(
      `Job ${job.id} is due at ${shownTime(job.scheduled_at, (await lookOf(command, cli.io)).timezone)}; job:output ${job.id} --follow shows it.\n`,
    );
  });
}

/** Adds `job:cancel ID`. */
function addCancel(program: Command, cli: Cli): void {
  const command = addStoreCommand(program, 'job:cancel')
    .description('Cancel a job. A waiting one ends at once, a running one within a second.')
    .argument('<id>', 'id of the job', readIdArgument)
    .option('--reason <text>', 'why; the job shows it');
  command.action(async (id: number) => {
    await using session = await cli.open(command);
    const { core, actor } = session;
    const job = await core.jobs.cancel(actor, id, command.opts<{ reason?: string }>().reason);
    await cli.io.err(
      job.state === 'cancelled' ? `Job ${id} is cancelled.\n` : `Job ${id} is running; its worker will stop it.\n`,
    );
  });
}

/** Adds `job:claim ID`, which starts an attempt that is done outside the service. */
function addClaim(program: Command, cli: Cli): void {
  const command = addStoreCommand(program, 'job:claim')
    .description('Claim a due job of an external executor. Its ping_url for heartbeats is shown only once.')
    .argument('<id>', 'id of the job', readIdArgument);
  command.action(async (id: number) => {
    await using session = await cli.open(command);
    const { core, actor } = session;
    const { job, pingUrl } = await core.externalJobs.claim(actor, id);
    const [shown] = await core.forChannels.serialize(Job, [job], 'item');
    await printRecord(session, cli.io, command, { resource: Job, record: { ...shown, ping_url: pingUrl } });
    await cli.io.err(`Job ${id} is yours; job:report ${id} says how it goes.\n`);
  });
}

const filesField = 'artifacts';

/** Adds `job:report ID`, with an option for each field of a report; files are named instead of written out. */
function addReport(program: Command, cli: Cli): void {
  const columns = reportFields.filter(({ name }) => name !== filesField);
  const command = addStoreCommand(program, 'job:report')
    .description('Report the progress or the end of a claimed job.')
    .argument('<id>', 'id of the job', readIdArgument)
    .option('--json <file>', 'fields from a file with a JSON object; - reads standard input')
    .option('--artifact <files...>', 'files that the job produced, stored under their names without folders');
  for (const column of columns) command.addOption(fieldOption(column));
  command.action(async (id: number) => {
    const options = command.opts<{ json?: string; artifact?: readonly string[] }>();
    const fromFile = options.json === undefined ? {} : await readJsonFile(cli.io, options.json);
    const files = options.artifact && { [filesField]: await readReportedFiles(cli.io, options.artifact) };
    const report = { ...fromFile, ...givenFields(Job, fieldTexts(Job, columns, options)), ...files };
    await using session = await cli.open(command);
    const { core, actor } = session;
    const { state } = await core.externalJobs.report(actor, id, report);
    await cli.io.err(state === 'running' ? `Job ${id} is running.\n` : `Job ${id} has ended: it is ${state}.\n`);
  });
}

function readReportedFiles(io: Io, names: readonly string[]): Promise<ReportedFile[]> {
  const read = async (name: string) => {
    const content = Buffer.from(await readBytes(io, resolve(io.folder, name)));
    return { filename: basename(name), content: content.toString('base64') };
  };
  return Promise.all(names.map(read));
}

/** The time between two polls of `--follow`, in milliseconds. */
const pollInterval = 300;

/** Adds `job:output ID`, which writes the output of a job byte for byte: stdout to stdout, stderr to stderr. */
function addOutput(program: Command, cli: Cli): void {
  const command = addTimeOption(addStoreOptions(program.command('job:output')))
    .description('Print what a job wrote. Its stdout goes to stdout, its stderr to stderr.')
    .argument('<id>', 'id of the job', readIdArgument)
    .addOption(new Option('--stream <name>', 'only this stream').choices(['stdout', 'stderr']))
    .option('--follow', 'wait for more until the job has ended', false);
  command.action(async (id: number) => {
    const { stream = null, follow } = command.opts<{ stream?: 'stdout' | 'stderr'; follow: boolean }>();
    await using session = await cli.open(command);
    const { core, actor } = session;
    for (let after = -1; ; ) {
      const { pieces, complete } = await core.jobs.output(actor, id, { stream, after });
      for (const piece of pieces) {
        await (piece.stream === 'stdout' ? cli.io.out(piece.data) : cli.io.err(piece.data));
        after = piece.seq;
      }
      if (pieces.length > 0 && !complete) continue;
      if (complete || !follow) break;
      await core.clock.sleep(pollInterval);
    }
    const { output_deleted_at } = await core.records(Job).get(actor, id);
    if (output_deleted_at !== null)
      await cli.io.err(
        `The output was deleted at ${shownTime(output_deleted_at, (await lookOf(command, cli.io)).timezone)}, because it is kept no longer (horarium help retention).\n`,
      );
  });
}
