import { type AnyPlugin, buildRegistries, type Core, HorariumError, preparePlugin } from '@horarium/core';
import { Api, type ApiLog } from '../../adapters/http/api.ts';
import { Metrics } from '../../adapters/http/metrics.ts';
import { Formats } from '../../adapters/http/reply/formats.ts';
import { TrustedProxies } from '../../adapters/http/security/networks.ts';
import { type HttpHandler, NodeHandler } from '../../adapters/node-http/node-handler.ts';
import formatJson from '../../plugins/format-json/plugin.ts';
import { httpRoutes } from './api-description.ts';

export interface HttpHandlerOptions {
  readonly core: Core;
  /** The path that the API is mounted under, `/scheduler`, whichever framework strips it. @default none */
  readonly path?: string;
  /** Plugins whose formats, routes and assets the API has besides JSON; their executors are the core's. @default none */
  readonly plugins?: readonly AnyPlugin[];
  /** The URL that others reach the API by, with the path that it is mounted under. @default links have no host */
  readonly publicUrl?: string | null;
  /** Addresses or CIDR blocks of reverse proxies whose `X-Forwarded-*` headers are believed. @default none */
  readonly trustedProxies?: readonly string[];
  /** Origins whose pages may call the API from a browser. @default none */
  readonly corsOrigins?: readonly string[];
  /** The maximum size of a request body, in bytes. @default 1 MiB */
  readonly maxBody?: number;
  /** How many requests one user may send in a second. @default no limit */
  readonly maxRequestsPerSecond?: number;
  /** Who may read the metrics; `open` = everyone who can reach the API. @default 'token' */
  readonly metrics?: 'token' | 'open';
  /** A pino logger fits. @default failures are written to the console */
  readonly log?: HttpHandlerLog;
  /** When this signal aborts, open streams are ended, so that the server can close. */
  readonly signal?: AbortSignal;
}

/** The log of requests. */
export interface HttpHandlerLog extends ApiLog {
  debug(details: object, message: string): void;
}

const consoleLog: HttpHandlerLog = {
  debug() {},
  info() {},
  warn() {},
  error: (details, message) => console.error(message, details),
};

/**
 * Makes a handler that serves the HTTP API of a core in a server of the embedding program:
 * `createServer(httpHandler({ core, path: '/scheduler' })).listen(8080)`.
 * @throws HorariumError `invalid` for a path that does not begin with a slash, a proxy that is not an address or assets that
 * cannot be read; `conflict` for a plugin that provides a format, a route or assets twice.
 */
export function httpHandler(options: HttpHandlerOptions): HttpHandler {
  const { core, path = '', plugins = [], publicUrl = null, log = consoleLog, signal } = options;
  const mountPath = path.replace(/\/+$/, '');
  if (mountPath !== '' && !mountPath.startsWith('/'))
    throw new HorariumError('invalid', `The path of the API must begin with a slash, and "${path}" does not.`);
  const metrics = new Metrics();
  const { formats, routes, assets } = extensionsOf(core, plugins);
  const api = new Api({
    core,
    routes: httpRoutes(core.resources, { metrics: options.metrics ?? 'token' }, routes, metrics),
    formats: new Formats([...formats]),
    assets,
    publicUrl,
    mountPath,
    proxies: new TrustedProxies(options.trustedProxies ?? []),
    bodyLimit: options.maxBody ?? 1024 * 1024,
    ...(options.maxRequestsPerSecond !== undefined && { maxRequestsPerSecond: options.maxRequestsPerSecond }),
    corsOrigins: options.corsOrigins ?? [],
    sessions: plugins.some(({ sessions }) => sessions),
    log,
    metrics,
  });
  const handler = new NodeHandler(api, { mountPath, log, closing: signal });
  return (request, response, next) => handler.handle(request, response, next);
}

/** Registers the formats, routes and assets of plugins, and those of JSON, which the API needs. */
function extensionsOf({ clock }: Core, plugins: readonly AnyPlugin[]) {
  const others = plugins.filter(({ name }) => name !== formatJson.name);
  const prepared = [formatJson, ...others].map((given) => {
    const { plugin, setup } = preparePlugin(given, {}, clock);
    const { name, api, formats = [], routes = () => [], assets = [] } = plugin;
    return { plugin: { name, api, formats, routes, assets }, setup };
  });
  return buildRegistries(prepared);
}
