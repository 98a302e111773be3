import { Event, EventSource, HorariumError } from '@horarium/core';
import { type Command, Option } from 'commander';
import { readIdArgument } from '../cli/arguments.ts';
import { addStoreCommand, type Cli } from '../cli/command-session.ts';
import { print } from '../cli/output.ts';
import { recordArgument, recordIdHelp, recordIdOf } from '../cli/record-id.ts';
import { printRecord } from '../cli/records/print-records.ts';

/** Adds the commands of events beyond those of their records, and `--failed` to `event:list`, which is there already. */
export function addEventCommands(program: Command, cli: Cli): void {
  program.commands
    .find((command) => command.name() === `${Event.names.singular}:list`)
    ?.addOption(new Option('--failed', 'only those that were set aside').implies({ state: 'set_aside' }));
  addRetry(program, cli);
  addPayload(program, cli);
  addSourceTest(program, cli);
}

/** Adds `event:retry ID`, which makes an event pending again; a running service processes it. */
function addRetry(program: Command, cli: Cli): void {
  const command = addStoreCommand(program, 'event:retry')
    .description('Retry an event that was set aside. The rules that have not fired are tried again.')
    .argument('<id>', 'id of the event', readIdArgument);
  command.action(async (id: number) => {
    await using session = await cli.open(command);
    const { core, actor } = session;
    const [event] = await core.forChannels.serialize(Event, [await core.events.retry(actor, id)], 'list');
    await printRecord(session, cli.io, command, { resource: Event, record: event as Record<string, unknown> });
    await cli.io.err(`Event ${id} is pending; a running service fires its rules.\n`);
  });
}

/** Adds `event:payload ID`, for admins. */
function addPayload(program: Command, cli: Cli): void {
  const command = addStoreCommand(program, 'event:payload')
    .description('Show the data of an event, as its source reported it.')
    .argument('<id>', 'id of the event', readIdArgument);
  command.action(async (id: number) => {
    await using session = await cli.open(command);
    const { core, actor } = session;
    await print(cli.io, command, { ...(await core.events.payload(actor, id)) });
  });
}

/** Adds `eventsource:test ID`, which fails where the source cannot be reached. */
function addSourceTest(program: Command, cli: Cli): void {
  const command = addStoreCommand(program, 'eventsource:test')
    .description('Test whether an event source can be reached and read.')
    .argument('<id>', recordIdHelp(EventSource), recordArgument(EventSource));
  command.action(async (source: string) => {
    await using session = await cli.open(command);
    const { core, actor } = session;
    const id = await recordIdOf(session, EventSource, source);
    const reachability = await core.eventSources.test(actor, id);
    await print(cli.io, command, { ...reachability });
    if (!reachability.reachable) throw new HorariumError('unavailable', `EventSource ${id} cannot be read.`);
  });
}
