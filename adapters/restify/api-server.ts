import type { Server as HttpServer } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Route } from '@horarium/core';
import type { Request, Response, Server } from 'restify';
import type { Api } from '../http/api.ts';
import type { HttpResponse } from '../http/reply/response.ts';
import { allMethods, maxParameterLength, mountPoints } from '../http/route-paths.ts';
import { NodeRequest, type Target } from '../node-http/node-request.ts';
import { drain, type SendLog, sendResponse } from '../node-http/send-response.ts';
import { ConnectionLimits } from './connection-limits.ts';
import { createRestifyServer } from './restify-server.ts';
import { secureContext, type Tls } from './secure-context.ts';

export interface ApiServerOptions {
  /** A pino logger; restify writes to it too. */
  readonly log: SendLog;
  /** The certificate and key of the server, which speaks plain HTTP when they are left out. */
  readonly tls?: Tls;
  readonly limits?: Partial<ServerLimits>;
  /** Whether an address is that of a proxy, which connects for many clients. @default none is */
  readonly isProxy?: (address: string) => boolean;
}

/** Limits that keep one client from using up what others need. Timeouts are in milliseconds. */
export interface ServerLimits {
  /** The time that a client may take to send the headers of a request. */
  readonly headersTimeout: number;
  /** The time that a client may take to send a whole request. */
  readonly requestTimeout: number;
  /** The time that a connection may be idle in both directions. Streams are never idle that long. */
  readonly idleTimeout: number;
  /** The time that the TLS handshake may take. */
  readonly handshakeTimeout: number;
  /** The maximum number of open connections; a further one closes that which has been idle longest. */
  readonly maxConnections: number;
  /** The maximum number of open connections from one address (of IPv6: one /64) that is not a proxy. */
  readonly maxConnectionsPerAddress: number;
}

const defaultLimits: ServerLimits = {
  headersTimeout: 15_000,
  requestTimeout: 60_000,
  idleTimeout: 120_000,
  handshakeTimeout: 10_000,
  maxConnections: 1000,
  maxConnectionsPerAddress: 500,
};
/** Limits of the headers of a request: their size together, in bytes, and their number. */
const maxHeaderBytes = 16 * 1024;
const maxHeaders = 100;

/** What ends the authority of a URL, or its user: restify, which joins Host and target to one, would route by the Host. */
const hostDelimiters = /[/?#\\@]/;

/** Serves the API on a port: restify listens and routes, the Api makes the responses. */
export class ApiServer {
  readonly #api: Api;
  readonly #server: Server;
  readonly #log: ApiServerOptions['log'];
  readonly #scheme: 'http' | 'https';
  readonly #connectionLimits: ConnectionLimits;
  readonly #closing = new AbortController();

  constructor(api: Api, { log, tls, limits, isProxy = () => false }: ApiServerOptions) {
    this.#api = api;
    this.#log = log;
    const options = { name: '', log, ignoreTrailingSlash: true, maxParamLength: maxParameterLength };
    const effectiveLimits = { ...defaultLimits, ...limits };
    this.#scheme = tls ? 'https' : 'http';
    this.#server = createRestifyServer(
      tls ? { ...options, httpsServerOptions: tlsOptions(tls, effectiveLimits) } : options,
    );
    applyLimits(this.#server.server, effectiveLimits);
    const { maxConnections: max, maxConnectionsPerAddress: maxPerNetwork } = effectiveLimits;
    this.#connectionLimits = new ConnectionLimits(this.#server.server, { max, maxPerNetwork, exempt: isProxy });
    this.#handleUnroutableRequests();
    for (const route of api.routes) this.#mount(route);
    this.#handleUnrouted();
  }

  /**
   * @param port 0 = any free one.
   * @returns the address it answers at: `http://127.0.0.1:8080`.
   * @throws Error with code `EADDRINUSE` and the like.
   */
  async listen(port: number, host: string): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, () => {
        this.#server.removeListener('error', reject);
        resolve();
      });
    });
    const { address, family, port: actualPort } = this.#server.server.address() as AddressInfo;
    const url = `${this.#scheme}://${family === 'IPv6' ? `[${address}]` : address}:${actualPort}`;
    this.#api.listensOn(url);
    return url;
  }

  /**
   * Presents another certificate from now on; open connections keep theirs.
   * @throws Error when certificate and key are invalid or do not match; the old one stays then.
   */
  reloadTls(tls: Tls): void {
    (this.#server.server as HttpsServer).setSecureContext(secureContext(tls));
  }

  /** Accepts no more requests, ends streams immediately, and gives other requests that many milliseconds to finish. */
  async close(grace: number): Promise<void> {
    this.#closing.abort();
    const { server } = this.#server;
    const timer = setTimeout(() => server.closeAllConnections(), grace);
    await new Promise<void>((resolve) => server.close(() => resolve()));
    clearTimeout(timer);
  }

  #mount(route: Route): void {
    const respond = async (request: Request, response: Response) => {
      await this.#send(request, response, await this.#api.handle(route, this.#toHttpRequest(request, response)));
    };
    for (const { method, path } of mountPoints(route)) {
      // Restify accepts handlers of two parameters only when they are async functions, and each only once.
      this.#server[restifyMethods[method]](path, async (request: Request, response: Response) =>
        respond(request, response),
      );
    }
  }

  /**
   * Answers requests that restify cannot: it parses target and Host as a URL before any handler runs, where an invalid
   * one would end the process, and answers `OPTIONS *`, about the server as a whole, by itself.
   */
  #handleUnroutableRequests(): void {
    // biome-ignore lint/suspicious/noExplicitAny: the types are of an older restify.
    (this.#server as any).first((request: any, response: Response) => {
      if (hostDelimiters.test(request.headers.host ?? '') || !hasUrl(request)) {
        response.writeHead(400, { Connection: 'close' });
        response.end();
        return false;
      }
      if (request.method !== 'OPTIONS' || request.url !== '*') return true;
      void this.#api
        .handleUnrouted(this.#toHttpRequest(request, response), allMethods)
        .then((result) => this.#send(request, response, result));
      return false;
    });
  }

  /**
   * Answers requests to unknown paths, and by methods that a path does not know, which arrive as errors of restify's
   * router.
   */
  #handleUnrouted(): void {
    const respond = async (request: Request, response: Response, error: { statusCode?: number }) => {
      if (response.headersSent) return;
      const allow = error.statusCode === 405 ? String(response.getHeader('Allow')) : null;
      // The router sets Allow before the caller is authenticated; the Api decides when it may be shown.
      response.removeHeader('Allow');
      const { status, headers, body } = await this.#api.handleUnrouted(this.#toHttpRequest(request, response), allow);
      await drain(request);
      // The response is sent through restify, which would otherwise send one of its own after it. Errors are never
      // streams.
      const content = Buffer.from((body as string | Uint8Array | null) ?? '');
      const length = body === null ? {} : { 'Content-Length': String(content.length) };
      response.sendRaw(status, content, { ...headers, ...length } as Record<string, string>);
    };
    this.#server.on('restifyError', (request, response, error, done) => {
      respond(request, response, error).then(done, done);
    });
  }

  #toHttpRequest(request: Request, response: Response): NodeRequest {
    // The types are of an older restify, where getUrl gave another shape.
    const url = request.getUrl() as unknown as Target['url'];
    const onAuthenticated = () => this.#connectionLimits.authenticated(request);
    return new NodeRequest(request, response, { url, params: request.params }, this.#closing.signal, onAuthenticated);
  }

  #send(request: Request, response: Response, answer: HttpResponse): Promise<void> {
    return sendResponse(answer, request, response, { closing: this.#closing.signal, log: this.#log });
  }
}

/** Whether the target and the Host of a request can be parsed. */
function hasUrl(request: { getUrl(): unknown }): boolean {
  try {
    request.getUrl();
    return true;
  } catch {
    return false;
  }
}

/** The methods of restify's server that mount a route. */
const restifyMethods = { GET: 'get', HEAD: 'head', POST: 'post', DELETE: 'del' } as const;

function applyLimits(server: HttpServer, { headersTimeout, requestTimeout, idleTimeout }: ServerLimits): void {
  server.headersTimeout = headersTimeout;
  server.requestTimeout = requestTimeout;
  server.timeout = idleTimeout;
  server.maxHeadersCount = maxHeaders;
  // Node takes these options when a server is made, which restify does itself; it reads them when it begins to listen.
  Object.assign(server, {
    maxHeaderSize: maxHeaderBytes,
    connectionsCheckingInterval: Math.min(1000, headersTimeout),
  });
}

function tlsOptions(tls: Tls, { handshakeTimeout }: ServerLimits) {
  return { ...secureContext(tls), handshakeTimeout };
}
