import { badRequest, Job } from '@horarium/core';
import { type Command, Option } from 'commander';
import { readIdArgument } from '../../cli/arguments.ts';
import { addStoreCommand, type Cli } from '../../cli/command-session.ts';
import { offering } from '../../cli/completion/offers.ts';
import { printRecord } from '../../cli/records/print-records.ts';
import { addVariable } from '../run-options.ts';

interface Options {
  readonly at?: string;
  readonly executor?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Adds `job:change ID`, which changes a job that has not started. */
export function addChangeCommand(program: Command, cli: Cli): void {
  const command = addStoreCommand(program, 'job:change')
    .description('Change when a pending job is due, and how it runs.')
    .argument('<id>', 'id of the job', readIdArgument)
    .option('--at <time>', 'when it is due, such as 2026-11-21T05:00:00Z, or now')
    .option('--executor <name>', 'what runs it')
    .addOption(
      offering(
        new Option(
          '--env <KEY=VALUE>',
          'a value for this job alone, in place of all those that it has; may be repeated',
        ),
        { repeatable: true },
      ).argParser(addVariable),
    )
    .addHelpText(
      'after',
      '\nExamples:\n  horarium job:change 8042 --at 2026-11-21T22:00:00Z\n  horarium job:change 8042 --at now',
    );
  command.action(async (id: number) => {
    const { at, executor, env } = command.opts<Options>();
    const fields = {
      ...(at !== undefined && { scheduled_at: at }),
      ...(executor !== undefined && { executor }),
      ...(env && { environment: env }),
    };
    if (Object.keys(fields).length === 0) throw badRequest('Say what: one of --at, --executor and --env.');
    await using session = await cli.open(command);
    const { core, actor } = session;
    const [shown] = await core.forChannels.serialize(Job, [await core.jobs.change(actor, id, fields)], 'list');
    await printRecord(session, cli.io, command, { resource: Job, record: shown as Record<string, unknown> });
    await cli.io.err(`Job ${id} is changed.\n`);
  });
}
