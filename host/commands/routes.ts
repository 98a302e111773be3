import { allResources } from '@horarium/core';
import type { Command } from 'commander';
import type { Io } from '../cli/io.ts';
import { addFormat, print } from '../cli/output-option.ts';

/** `routes`: the table that the HTTP API is made of. */
export function addRoutesCommand(program: Command, io: Io): void {
  const command = addFormat(program.command('routes')).description('Show every endpoint of the HTTP API.');
  command.action(async () => {
    const [{ apiRoutes }, { describeRoutes }, { basePath }] = await Promise.all([
      import('../../adapters/http/routes/api-routes.ts'),
      import('../../adapters/http/routes/route.ts'),
      import('../../adapters/http/routes/system-routes.ts'),
    ]);
    await print(io, command, describeRoutes(apiRoutes(allResources), basePath));
  });
}
