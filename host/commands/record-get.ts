import { type AnyResource, embeddedResources, summaryFieldsOf } from '@horarium/core';
import type { Command } from 'commander';
import { readIdArgument } from '../cli/id-argument.ts';
import { print } from '../cli/output-option.ts';
import type { Cli } from '../cli/session.ts';
import { addStoreCommand } from '../cli/store-command.ts';

/** `app:get ID` */
export function addGetCommand(program: Command, cli: Cli, resource: AnyResource): void {
  const { singular: one } = resource.names;
  const command = addStoreCommand(program, `${one}:get`)
    .description(`Show one ${one}.`)
    .argument('<id>', 'its number', readIdArgument);
  command.action(async (id: number) => {
    await using session = await cli.open(command);
    const { core, actor } = session;
    const row = await core.records(resource.name).get(actor, id);
    const [shown] = await core.show(resource, [row], 'item');
    const inside = Object.entries(embeddedResources(resource, 'item')).map(([field, each]) => [
      field,
      summaryFieldsOf(each),
    ]);
    await print(cli.io, command, shown as Record<string, unknown>, { inside: Object.fromEntries(inside) });
  });
}

/** `app:delete ID` */
export function addDeleteCommand(program: Command, cli: Cli, resource: AnyResource): void {
  const { singular: one } = resource.names;
  const command = addStoreCommand(program, `${one}:delete`)
    .description(`Delete one ${one}.`)
    .argument('<id>', 'its number', readIdArgument)
    .option('--cascade', 'delete what refers to it as well, and what refers to that');
  command.action(async (id: number) => {
    const { cascade = false } = command.opts<{ cascade?: boolean }>();
    await using session = await cli.open(command);
    await session.core.records(resource.name).remove(session.actor, id, { cascade });
    await cli.io.err(`${resource.name} ${id} is deleted.\n`);
  });
}
