import { AuditTrail, allResources } from '@horarium/core';
import { type Command, Option } from 'commander';
import type { Io } from '../cli/io.ts';
import { type OutputFormat, render } from '../cli/render.ts';
import { addSettings, settingsOf } from '../cli/settings-options.ts';
import { version } from '../version.ts';

/** `openapi`: the document that the service answers at `/openapi.json`, without a service. */
export function addOpenApiCommand(program: Command, io: Io): void {
  const command = program.command('openapi').description('Describe the HTTP API to programs, as OpenAPI 3.1.');
  command.addOption(new Option('--format <format>', 'how it is written').choices(['json', 'yaml']).default('json'));
  addSettings(command, ['public_url', 'plugins']).action(async () => {
    const { config } = await settingsOf(command, io);
    const [{ openHost }, { noEvents }, { tokens }, { apiRoutes }, { describeApi }, figures] = await Promise.all([
      import('../open-host.ts'),
      import('../modules/core-module.ts'),
      import('../tokens.ts'),
      import('../../adapters/http/routes/api-routes.ts'),
      import('../../adapters/http/openapi/document.ts'),
      openFigures(),
    ]);
    await using host = await openHost(config, {
      serving: false,
      makesStore: false,
      folder: io.folder,
      capacity: 0,
      address: () => '',
      events: noEvents,
    });
    const { formats } = await host.get(tokens.shelves);
    const document = describeApi({
      version,
      routes: [...apiRoutes(allResources), figures(config.metrics)],
      resources: [...allResources, AuditTrail],
      formats: [...formats],
      publicUrl: config.public_url,
    });
    await io.out(await render(document, command.opts<{ format: OutputFormat }>().format));
  });
}

/** The one row that is not in the table, because whether it is open is a setting. */
async function openFigures() {
  const [{ Metrics }, { metricsRoute }] = await Promise.all([
    import('../../adapters/http/metrics.ts'),
    import('../../adapters/http/routes/metrics-route.ts'),
  ]);
  return (access: Parameters<typeof metricsRoute>[1]) => metricsRoute(new Metrics(), access);
}
