import type { Command } from 'commander';
import { print } from '../cli/output-option.ts';
import type { Cli } from '../cli/session.ts';
import { addStoreCommand } from '../cli/store-command.ts';

/** `status` */
export function addStatusCommand(program: Command, cli: Cli): void {
  const command = addStoreCommand(program, 'status').description('Show how the service is: workers, queue, counts.');
  command.action(async () => {
    await using session = await cli.open(command);
    const { uptime: _ours, ...status } = await session.core.status(session.actor);
    await print(cli.io, command, status);
  });
}
