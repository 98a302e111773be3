import type { Core, Registries } from '@horarium/core';
import { ContainerModule } from 'inversify';
import type { Logger } from 'pino';
import { Api } from '../../adapters/http/api.ts';
import { Metrics } from '../../adapters/http/metrics.ts';
import { Formats } from '../../adapters/http/reply/formats.ts';
import { TrustedProxies } from '../../adapters/http/security/networks.ts';
import { ApiServer, type Tls } from '../../adapters/restify/api-server.ts';
import type { Config } from '../config/settings.ts';
import { httpRoutes } from '../http/api-description.ts';
import { serviceIds } from '../service-ids.ts';

/** The time that requests in flight may take to finish when the service stops, in milliseconds. */
const closingGrace = 5000;

/**
 * Provides the HTTP channel, unless a module before it does; `listen` opens its port.
 * @param tls undefined = plain HTTP.
 */
export function httpModule(tls?: Tls): ContainerModule {
  const make = (config: Config, log: Logger, core: Core, { formats, routes }: Registries): ApiServer => {
    const metrics = new Metrics();
    const proxies = new TrustedProxies(config.trust_proxy ?? []);
    const api = new Api({
      core,
      routes: httpRoutes(core.resources, config, routes, metrics),
      metrics,
      corsOrigins: config.cors_origins ?? [],
      formats: new Formats([...formats]),
      publicUrl: config.public_url,
      proxies,
      bodyLimit: config.max_body,
      log,
    });
    const limits = {
      maxConnections: config.max_connections,
      maxConnectionsPerAddress: config.max_connections_per_address,
    };
    const isProxy = (address: string) => proxies.includes(address);
    return new ApiServer(api, { log, limits, isProxy, ...(tls && { tls }) });
  };
  return new ContainerModule(({ bind, isBound }) => {
    if (isBound(serviceIds.server)) return;
    bind(serviceIds.server)
      .toResolvedValue(make, [serviceIds.config, serviceIds.log, serviceIds.core, serviceIds.registries])
      .onDeactivation((server) => server.close(closingGrace));
  });
}
