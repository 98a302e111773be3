import type { Core, PreparedPlugin, Registries } from '@horarium/core';
import type { Logger } from 'pino';
import { Api } from '../../adapters/http/api.ts';
import { Metrics } from '../../adapters/http/metrics.ts';
import { Formats } from '../../adapters/http/reply/formats.ts';
import { TrustedProxies } from '../../adapters/http/security/networks.ts';
import { ApiServer } from '../../adapters/restify/api-server.ts';
import type { Tls } from '../../adapters/restify/secure-context.ts';
import type { Config } from '../config/settings.ts';
import { httpRoutes } from '../http/api-description.ts';
import { type InstalledParts, installationRoutes } from '../http/installation-routes.ts';
import { pluginRows } from '../plugins/plugin-rows.ts';

interface ServedParts {
  readonly config: Config;
  readonly log: Logger;
  readonly core: Core;
  readonly registries: Registries;
  readonly plugins: readonly PreparedPlugin[];
  /** Undefined = plain HTTP. */
  readonly tls: Tls | undefined;
  readonly settings: InstalledParts['settings'];
}

/** Creates the server of the HTTP API as the settings describe it. */
export function createApiServer({ config, log, core, registries, plugins, tls, settings }: ServedParts): ApiServer {
  const metrics = new Metrics(registries.gauges);
  const proxies = new TrustedProxies(config.trust_proxy ?? []);
  const api = new Api({
    core,
    routes: [
      ...httpRoutes(core.resources, config, registries.routes, metrics),
      ...installationRoutes({ settings, plugins: () => pluginRows(plugins, registries) }),
    ],
    metrics,
    corsOrigins: config.cors_origins ?? [],
    sessions: plugins.some(({ plugin }) => plugin.sessions),
    formats: new Formats([...registries.formats]),
    assets: registries.assets,
    publicUrl: config.public_url,
    proxies,
    bodyLimit: config.max_body,
    maxRequestsPerSecond: config.max_requests_per_second || Infinity,
    log,
  });
  const limits = {
    maxConnections: config.max_connections,
    maxConnectionsPerAddress: config.max_connections_per_address,
  };
  const isProxy = (address: string) => proxies.includes(address);
  return new ApiServer(api, { log, limits, isProxy, ...(tls && { tls }) });
}
