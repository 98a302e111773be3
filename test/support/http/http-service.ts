import { type ClientRequestArgs, type IncomingHttpHeaders, request } from 'node:http';
import { Writable } from 'node:stream';
import {
  addPluginResources,
  allResources,
  buildResources,
  type Format,
  type OpenApiDocument,
  preparePlugin,
  type Route,
  type StaticAssets,
  systemClock,
} from '@horarium/core';
import { pino } from 'pino';
import { Api, type ApiOptions } from '../../../adapters/http/api.ts';
import { Metrics } from '../../../adapters/http/metrics.ts';
import { describeApi } from '../../../adapters/http/openapi/document.ts';
import { Formats } from '../../../adapters/http/reply/formats.ts';
import { barePath } from '../../../adapters/http/route-paths.ts';
import { apiRoutes } from '../../../adapters/http/routes/api-routes.ts';
import { metricsRoute } from '../../../adapters/http/routes/service/metrics-route.ts';
import { TrustedProxies } from '../../../adapters/http/security/networks.ts';
import { ApiServer, type ApiServerOptions } from '../../../adapters/restify/api-server.ts';
import { docsRoutes } from '../../../plugins/docs/plugin.ts';
import { formatCsv } from '../../../plugins/format-csv/format-csv.ts';
import { formatHtml } from '../../../plugins/format-html/format-html.ts';
import { formatJson } from '../../../plugins/format-json/format-json.ts';
import { formatXml } from '../../../plugins/format-xml/format-xml.ts';
import { formatYaml } from '../../../plugins/format-yaml/format-yaml.ts';
import crontabs from '../../../plugins/import-crontab/plugin.ts';
import pings from '../../../plugins/pings/plugin.ts';
import { MemoryCore } from '../worlds/memory-core.ts';
import { isBeginningOfChanges } from './event-stream.ts';
import { OpenApiCheck } from './openapi-check.ts';
import { assetRegistry, routeRegistry } from './plugin-registries.ts';

export interface ServiceOptions
  extends Partial<Pick<ApiOptions, 'publicUrl' | 'bodyLimit' | 'maxRequestsPerSecond' | 'sessions'>> {
  /** The core of another service, for a second host on the same store. */
  readonly core?: MemoryCore;
  readonly proxies?: readonly string[];
  readonly tls?: ApiServerOptions['tls'];
  readonly limits?: ApiServerOptions['limits'];
  readonly corsOrigins?: readonly string[];
  readonly metricsAccess?: 'token' | 'open';
  readonly metricsByTemplate?: boolean;
  readonly extraRoutes?: readonly Route[];
  /** The assets of a plugin called `shop`. */
  readonly assets?: readonly StaticAssets[];
  readonly extraFormats?: readonly Format[];
  /** The headers that the formats of a test add, in lower case. */
  readonly extraHeaders?: readonly string[];
}

/** A response, with its JSON parsed. */
export interface TestResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Each value of each header. */
  readonly headersDistinct: NodeJS.Dict<string[]>;
  readonly text: string;
  readonly bytes: Buffer;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into responses of every shape.
  readonly json: any;
}

export interface TestRequest {
  readonly method?: string;
  /** Each value of a list is sent as a header of its own. */
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** Sent as JSON, unless it is a text. */
  readonly body?: unknown;
}

const ownFormats = [formatJson, formatXml, formatYaml, formatCsv, formatHtml];

/** The records of a service, with the fields that its plugins add to them. */
const { resources: ownResources } = addPluginResources(
  allResources,
  buildResources([crontabs, pings].map((plugin) => preparePlugin(plugin, {}, systemClock))),
);

export const adminPassword = 'correct horse battery';

/** The whole HTTP channel on a store in memory; tests send it real requests over a socket. */
export class HttpService {
  readonly core: MemoryCore;
  readonly logLines: string[] = [];
  readonly server: ApiServer;
  readonly routes: readonly Route[];
  readonly document: OpenApiDocument;
  /** The document with the routes that it hides, whose responses are checked like all others. */
  readonly wholeDocument: OpenApiDocument;
  /** Compares every response with the document, and records which of those described have occurred. */
  readonly openApiCheck: OpenApiCheck;
  /** The paths that the document hides. */
  readonly #hiddenPaths: readonly RegExp[];
  url = '';
  /** The Authorization header of the administrator. */
  admin = '';

  constructor(options: ServiceOptions = {}) {
    this.core = options.core ?? new MemoryCore({ resources: ownResources });
    const sink = new Writable({
      write: (line, _encoding, done) => {
        this.logLines.push(String(line));
        done();
      },
    });
    const log = pino({}, sink);
    const formats = [...ownFormats, ...(options.extraFormats ?? [])];
    const publicUrl = options.publicUrl ?? null;
    const metrics = new Metrics();
    const proxies = new TrustedProxies(options.proxies ?? []);
    const isProxy = (address: string) => proxies.includes(address);
    const api = new Api({
      core: this.core,
      routes: [
        ...apiRoutes(this.core.resources, routeRegistry('docs', ...docsRoutes)),
        metricsRoute(metrics, options.metricsAccess ?? 'token', { byTemplate: options.metricsByTemplate ?? false }),
        ...(options.extraRoutes ?? []),
      ],
      metrics,
      corsOrigins: options.corsOrigins ?? [],
      sessions: options.sessions ?? false,
      formats: new Formats(formats),
      assets: assetRegistry('shop', ...(options.assets ?? [])),
      publicUrl,
      proxies,
      bodyLimit: options.bodyLimit ?? 1024 * 1024,
      maxRequestsPerSecond: options.maxRequestsPerSecond ?? Infinity,
      log,
    });
    this.routes = api.routes;
    const { resources, version } = this.core;
    const described = { version, routes: api.routes, resources, formats, publicUrl };
    this.document = describeApi(described);
    const hidden = options.sessions ? [] : api.routes.filter((route) => route.hidden);
    this.#hiddenPaths = hidden.map(
      (route) => new RegExp(`^/api/v1${barePath(route).replace(/\{\w+\}/g, '[^/?]+')}(?:\\.\\w+)?(?:\\?|$)`),
    );
    const shown = api.routes.map((route) => ({ ...route, hidden: false }));
    this.wholeDocument = options.sessions ? describeApi({ ...described, routes: shown }) : this.document;
    this.openApiCheck = new OpenApiCheck(this.wholeDocument, options.extraHeaders);
    const { tls, limits } = options;
    this.server = new ApiServer(api, { log, isProxy, ...(tls && { tls }), ...(limits && { limits }) });
  }

  async start(): Promise<this> {
    this.url = await this.server.listen(0, '127.0.0.1');
    await this.core.addUser('root', adminPassword);
    this.admin = `Bearer ${(await this.core.createToken('root')).secret}`;
    return this;
  }

  async stop(): Promise<void> {
    await this.server.close(1000);
    await this.core.store.read(async () => undefined);
  }

  /** Sends a request with only the headers that HTTP needs; the path is under the base path unless it begins with `//`. */
  async request(path: string, request: TestRequest = {}): Promise<TestResponse> {
    const whole = path.startsWith('//') ? path.slice(1) : `/api/v1${path}`;
    const response = await this.requestUndescribed(whole, request);
    if (!this.#hiddenPaths.some((hidden) => hidden.test(whole)))
      this.openApiCheck.check({ method: request.method ?? 'GET', path: whole }, response);
    return response;
  }

  /** Sends a request whose response is not compared with the document, such as for assets; the path is that at the root. */
  async requestUndescribed(
    path: string,
    { method = 'GET', headers = {}, body }: TestRequest = {},
  ): Promise<TestResponse> {
    const { hostname, port } = new URL(this.url);
    const sent = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const type = sent === undefined || 'content-type' in headers ? {} : { 'content-type': 'application/json' };
    return exchange({ hostname, port, path, method, headers: { ...type, ...headers }, agent: false }, sent);
  }

  /** Sends a request as the administrator. */
  async requestAsAdmin(path: string, request: TestRequest = {}): Promise<TestResponse> {
    return this.request(path, { ...request, headers: { authorization: this.admin, ...request.headers } });
  }
}

function exchange(options: ClientRequestArgs, body: string | undefined): Promise<TestResponse> {
  return new Promise((resolve, reject) => {
    const outgoing = request(options, (response) => {
      const pieces: Buffer[] = [];
      const end = () => {
        const bytes = Buffer.concat(pieces);
        const text = bytes.toString();
        const { 'content-type': type = '', 'content-encoding': encoding } = response.headers;
        const isJson = /json/.test(type) && text !== '' && encoding === undefined;
        const json = isJson ? JSON.parse(text) : undefined;
        const { headers, headersDistinct } = response;
        resolve({ status: response.statusCode as number, headers, headersDistinct, text, bytes, json });
      };
      response.on('data', (piece: Buffer) => {
        pieces.push(piece);
        if (!isBeginningOfChanges(response.headers['content-type'], Buffer.concat(pieces).toString())) return;
        end();
        response.destroy();
      });
      response.on('error', reject);
      response.on('end', end);
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** The Authorization header of Basic authentication. */
export function basic(login: string, password: string): string {
  return `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`;
}
