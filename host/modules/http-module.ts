import type { Core, PreparedPlugin, Registries } from '@horarium/core';
import { ContainerModule } from 'inversify';
import type { Logger } from 'pino';
import type { Tls } from '../../adapters/restify/secure-context.ts';
import type { Config } from '../config/settings.ts';
import type { InstalledParts } from '../http/installation-routes.ts';
import { serviceIds } from '../service-ids.ts';

/** The time that requests in flight may take to finish when the service stops, in milliseconds. */
const closingGrace = 5000;

/**
 * Provides the HTTP channel, unless a module before it does; `listen` opens its port.
 * @param tls undefined = plain HTTP.
 * @param settings what admins may read of the settings, without secrets. @default nothing
 */
export function httpModule(tls?: Tls, settings: InstalledParts['settings'] = null): ContainerModule {
  // The server is imported here, because the commands of a custom host start sooner without it.
  const make = async (config: Config, log: Logger, core: Core, registries: Registries, plugins: PreparedPlugin[]) => {
    const { createApiServer } = await import('../serve/create-api-server.ts');
    return createApiServer({ config, log, core, registries, plugins, tls, settings });
  };
  return new ContainerModule(({ bind, isBound }) => {
    if (isBound(serviceIds.server)) return;
    bind(serviceIds.server)
      .toResolvedValue(make, [
        serviceIds.config,
        serviceIds.log,
        serviceIds.core,
        serviceIds.registries,
        { serviceIdentifier: serviceIds.plugin, isMultiple: true },
      ])
      .onDeactivation((server) => server.close(closingGrace));
  });
}
