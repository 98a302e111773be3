import { allResources } from '@horarium/core';
import { type Command, Option } from 'commander';
import type { Io } from '../cli/io.ts';
import { addFormat, type OutputFormat, print, render } from '../cli/output.ts';
import { addSettings, settingsOf } from '../cli/setting-options.ts';
import { version } from '../version.ts';

/** Adds `routes` and `openapi`, which describe the HTTP API without a service. */
export function addApiCommands(program: Command, io: Io): void {
  addRoutes(program, io);
  addOpenApi(program, io);
}

function addRoutes(program: Command, io: Io): void {
  const command = addFormat(program.command('routes')).description('Show every endpoint of the HTTP API.');
  command.action(async () => {
    const [{ apiRoutes }, { describeRoutes }] = await Promise.all([
      import('../../adapters/http/routes/api-routes.ts'),
      import('../../adapters/http/routes/system-routes.ts'),
    ]);
    await print(io, command, describeRoutes(apiRoutes(allResources)));
  });
}

/** `openapi` prints the document that the service serves at `/openapi.json`. */
function addOpenApi(program: Command, io: Io): void {
  const command = program.command('openapi').description('Describe the HTTP API to programs, as OpenAPI 3.1.');
  command.addOption(new Option('--format <format>', 'how it is written').choices(['json', 'yaml']).default('json'));
  addSettings(command, ['public_url', 'plugins']).action(async () => {
    const { config } = await settingsOf(command, io);
    const [{ openIdleHost }, { tokens }, { apiRoutes }, { describeApi }, { Metrics }, { metricsRoute }] =
      await Promise.all([
        import('../open-host.ts'),
        import('../tokens.ts'),
        import('../../adapters/http/routes/api-routes.ts'),
        import('../../adapters/http/openapi/document.ts'),
        import('../../adapters/http/metrics.ts'),
        import('../../adapters/http/routes/metrics-route.ts'),
      ]);
    await using host = await openIdleHost(config, io);
    const { formats, routes } = await host.get(tokens.registries);
    const document = describeApi({
      version,
      // The metrics are no part of the table, because a setting says whether they are open.
      routes: [...apiRoutes(allResources, routes), metricsRoute(new Metrics(), config.metrics)],
      resources: allResources,
      formats: [...formats],
      publicUrl: config.public_url,
    });
    await io.out(await render(document, command.opts<{ format: OutputFormat }>().format));
  });
}
