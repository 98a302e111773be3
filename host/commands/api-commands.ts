import { type Command, Option } from 'commander';
import { type Io, resourcesOf } from '../cli/io.ts';
import { addFormatOption, type OutputFormat, print, render } from '../cli/output.ts';
import { addSettingOptions, readCommandSettings } from '../cli/setting-options.ts';

/** Adds `routes` and `openapi`, which describe the HTTP API while no service runs. */
export function addApiCommands(program: Command, io: Io): void {
  addRoutes(program, io);
  addOpenApi(program, io);
}

/** Adds `routes`, which lists the endpoints. */
function addRoutes(program: Command, io: Io): void {
  const command = addFormatOption(program.command('routes')).description('List the endpoints of the HTTP API.');
  addSettingOptions(command, ['plugins']).action(async () => {
    const { config } = await readCommandSettings(command, io);
    const [{ openCommandHost }, { serviceIds }, { routeRows }] = await Promise.all([
      import('../open-host.ts'),
      import('../service-ids.ts'),
      import('../modules/api-description.ts'),
    ]);
    await using host = await openCommandHost(config, io);
    await print(io, command, routeRows(resourcesOf(io), await host.get(serviceIds.registries)));
  });
}

/** Adds `openapi`, which prints the document that the service serves at `/openapi.json`. */
function addOpenApi(program: Command, io: Io): void {
  const command = program.command('openapi').description('Print the OpenAPI 3.1 document of the HTTP API.');
  command.addOption(new Option('--format <format>', 'output format').choices(['json', 'yaml']).default('json'));
  addSettingOptions(command, ['public_url', 'plugins']).action(async () => {
    const { config } = await readCommandSettings(command, io);
    const [{ openCommandHost }, { serviceIds }, { openApiDocument }] = await Promise.all([
      import('../open-host.ts'),
      import('../service-ids.ts'),
      import('../modules/api-description.ts'),
    ]);
    await using host = await openCommandHost(config, io);
    const document = openApiDocument(resourcesOf(io), config, await host.get(serviceIds.registries));
    await io.out(await render({ ...document }, command.opts<{ format: OutputFormat }>().format));
  });
}
