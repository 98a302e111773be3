import { formatInstant, Job } from '@horarium/core';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { readIdArgument } from '../cli/id-argument.ts';
import { print } from '../cli/output-option.ts';
import type { Cli } from '../cli/session.ts';
import { addStoreCommand } from '../cli/store-command.ts';

interface Options {
  readonly env: Readonly<Record<string, string>>;
  readonly at?: string;
}

/** `runtemplate:run ID`: makes an ad hoc job, which a running service starts. */
export function addRunCommand(program: Command, cli: Cli): void {
  const command = addStoreCommand(program, 'runtemplate:run')
    .description('Run a template once, now or at another time; a running service does it.')
    .argument('<id>', 'its number', readIdArgument)
    .addOption(
      new Option('--env <KEY=VALUE>', 'a value for this job alone; may be repeated')
        .argParser(readVariable)
        .default({}, 'none'),
    )
    .option('--at <time>', 'such as 2026-11-21T05:00:00Z; now when left out');
  command.action(async (runtemplate_id: number) => {
    const { env: environment, at } = command.opts<Options>();
    await using session = await cli.open(command);
    const { core, actor } = session;
    const job = await core.jobs.schedule(actor, { runtemplate_id, environment, ...(at && { scheduled_at: at }) });
    const [shown] = await core.show(Job, [job], 'list');
    await print(cli.io, command, shown as Record<string, unknown>);
    await cli.io.err(
      `Job ${job.id} is due at ${formatInstant(job.scheduled_at)}; job:output ${job.id} --follow shows it.\n`,
    );
  });
}

function readVariable(given: string, before: Readonly<Record<string, string>>): Record<string, string> {
  const at = given.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('It must look like KEY=VALUE.');
  return { ...before, [given.slice(0, at)]: given.slice(at + 1) };
}

/** `job:cancel ID` */
export function addCancelCommand(program: Command, cli: Cli): void {
  const command = addStoreCommand(program, 'job:cancel')
    .description('Cancel a job: one that waits at once, a running one as soon as its worker hears of it.')
    .argument('<id>', 'its number', readIdArgument)
    .option('--reason <text>', 'what the ledger says about it');
  command.action(async (id: number) => {
    await using session = await cli.open(command);
    const { core, actor } = session;
    const job = await core.jobs.cancel(actor, id, command.opts<{ reason?: string }>().reason);
    await cli.io.err(
      job.state === 'cancelled' ? `Job ${id} is cancelled.\n` : `Job ${id} runs; its worker was told to stop it.\n`,
    );
  });
}
