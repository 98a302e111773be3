import { Delivery } from '@horarium/core';
import type { Command } from 'commander';
import { readIdArgument } from '../cli/arguments.ts';
import { addStoreCommand, type Cli } from '../cli/command-session.ts';
import { printRecord } from '../cli/records/print-records.ts';

/** Adds `delivery:retry ID`; a running service delivers it. */
export function addDeliveryCommands(program: Command, cli: Cli): void {
  const command = addStoreCommand(program, 'delivery:retry')
    .description('Try a delivery again at once. The running service sends it.')
    .argument('<id>', 'id of the delivery', readIdArgument);
  command.action(async (id: number) => {
    await using session = await cli.open(command);
    const { core, actor } = session;
    const row = await core.deliveries.retry(actor, id);
    const [record] = await core.forChannels.serialize(Delivery, [row], 'item');
    await printRecord(session, cli.io, command, { resource: Delivery, record: record as Record<string, unknown> });
  });
}
