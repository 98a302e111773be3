import { type Command, Option } from 'commander';
import { openPluginSession } from '../cli/command-session.ts';
import type { Io } from '../cli/io.ts';
import { addFormatOption, type OutputFormat, print, render } from '../cli/output.ts';
import { addSettingOptions } from '../cli/setting-options.ts';

/** Adds `routes` and `openapi`, which describe the HTTP API while no service runs. */
export function addApiCommands(program: Command, io: Io): void {
  addRoutes(program, io);
  addOpenApi(program, io);
}

/** Adds `routes`, which lists the endpoints. */
function addRoutes(program: Command, io: Io): void {
  const command = addFormatOption(program.command('routes')).description('List the endpoints of the HTTP API.');
  addSettingOptions(command, ['plugins']).action(async () => {
    await using session = await openPluginSession(command, io);
    const { routeRows } = await import('../http/api-description.ts');
    await print(io, command, routeRows(session.resources, session.registries));
  });
}

/** Adds `openapi`, which prints the document that the service serves at `/openapi.json`. */
function addOpenApi(program: Command, io: Io): void {
  const command = program.command('openapi').description('Print the OpenAPI 3.1 document of the HTTP API.');
  command.addOption(new Option('--format <format>', 'output format').choices(['json', 'yaml']).default('json'));
  addSettingOptions(command, ['public_url', 'plugins']).action(async () => {
    await using session = await openPluginSession(command, io);
    const { openApiDocument } = await import('../http/api-description.ts');
    const document = openApiDocument(session.resources, session.config, session.registries);
    await io.out(await render({ ...document }, command.opts<{ format: OutputFormat }>().format));
  });
}
