import type { Server as HttpServer } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Route } from '@horarium/core';
import type { Request, Response, Server } from 'restify';
import type { Api } from '../http/api.ts';
import { mountPaths } from '../http/routes/route.ts';
import { basePath } from '../http/routes/system-routes.ts';
import { boundConnections } from './bound-connections.ts';
import { drain, RestifyRequest, write } from './restify-request.ts';
import { createRestifyServer } from './restify-server.ts';

export interface ApiServerOptions {
  /** A pino logger: restify writes to it as well. */
  readonly log: object & { debug(details: object, message: string): void };
  /** Without it the server speaks plain HTTP. */
  readonly tls?: Tls;
  readonly limits?: Partial<Limits>;
  /** Whether an address is that of a proxy, which speaks for many; none is when left out. */
  readonly isProxy?: (address: string) => boolean;
}

/** Both in PEM. */
export interface Tls {
  readonly certificate: string;
  readonly key: string;
}

/** What keeps one client from using up what others need. Times are in milliseconds. */
export interface Limits {
  /** How long the headers of a request may take to come. */
  readonly headers: number;
  /** How long a whole request may take to come. */
  readonly request: number;
  /** How long a connection may be silent both ways. Streams are never silent that long. */
  readonly silence: number;
  /** How long TLS may take to be agreed on. */
  readonly handshake: number;
  /** Connections at once; further ones are closed at once. */
  readonly connections: number;
  /** The same of those from one address that is no proxy. */
  readonly connectionsPerAddress: number;
}

const usualLimits: Limits = {
  headers: 15_000,
  request: 60_000,
  silence: 120_000,
  handshake: 10_000,
  connections: 1000,
  connectionsPerAddress: 500,
};
/** Of all headers of a request together, in bytes, and how many there may be. */
const mostHeaderBytes = 16 * 1024;
const mostHeaders = 100;
/** Longer words in a path lead nowhere. */
const longestParameter = 2048;

/** The methods that some path or other knows. */
const wholeServer = 'DELETE, GET, HEAD, OPTIONS, POST';

/** The API on a port: restify listens and routes, the Api answers. */
export class ApiServer {
  readonly #api: Api;
  readonly #server: Server;
  readonly #log: ApiServerOptions['log'];
  readonly #scheme: 'http' | 'https';
  readonly #closing = new AbortController();

  constructor(api: Api, { log, tls, limits, isProxy = () => false }: ApiServerOptions) {
    this.#api = api;
    this.#log = log;
    const options = { name: '', log, ignoreTrailingSlash: true, maxParamLength: longestParameter };
    const within = { ...usualLimits, ...limits };
    this.#scheme = tls ? 'https' : 'http';
    this.#server = createRestifyServer(tls ? { ...options, httpsServerOptions: secured(tls, within) } : options);
    limit(this.#server.server, within);
    boundConnections(this.#server.server, within.connectionsPerAddress, isProxy);
    this.#takeOddTargets();
    for (const route of api.routes) this.#mount(route);
    this.#answerUnrouted();
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
    const { address, family, port: bound } = this.#server.server.address() as AddressInfo;
    const url = `${this.#scheme}://${family === 'IPv6' ? `[${address}]` : address}:${bound}`;
    this.#api.listensOn(url);
    return url;
  }

  /**
   * Presents another certificate from now on; connections that are open keep theirs.
   * @throws Error when certificate and key are none, or do not belong together; the old one stays then.
   */
  renew(tls: Tls): void {
    (this.#server.server as HttpsServer).setSecureContext(contextOf(tls));
  }

  /** Takes no more requests, lets those under way finish for at most that many milliseconds, ends streams at once. */
  async close(grace: number): Promise<void> {
    this.#closing.abort();
    const { server } = this.#server;
    const timer = setTimeout(() => server.closeAllConnections(), grace);
    await new Promise<void>((resolve) => server.close(() => resolve()));
    clearTimeout(timer);
  }

  #mount(route: Route): void {
    const answer = async (request: Request, response: Response) => {
      await this.#send(request, response, await this.#api.handle(route, this.#plain(request, response)));
    };
    for (const path of mountPaths(route)) {
      const full = route.atRoot ? path : `${basePath}${path}`;
      // Restify takes handlers of two parameters only when they are async functions of their own, and each once.
      const handler = async (request: Request, response: Response) => answer(request, response);
      if (route.method === 'GET') {
        this.#server.get(full, handler);
        // HEAD gives no body, so it would make a token that nobody ever sees.
        if (!route.changes)
          this.#server.head(full, async (request: Request, response: Response) => answer(request, response));
      } else if (route.method === 'POST') this.#server.post(full, handler);
      else this.#server.del(full, handler);
    }
  }

  /**
   * Restify reads target and Host as a URL before anything of ours runs, and what is none would end the process. What is
   * asked about the server as a whole, `OPTIONS *`, it would answer by itself.
   */
  #takeOddTargets(): void {
    // biome-ignore lint/suspicious/noExplicitAny: the types are of an older restify.
    (this.#server as any).first((request: any, response: Response) => {
      try {
        request.getUrl();
      } catch {
        response.writeHead(400, { Connection: 'close' });
        response.end();
        return false;
      }
      if (request.method !== 'OPTIONS' || request.url !== '*') return true;
      void this.#api
        .handleUnrouted(this.#plain(request, response), wholeServer)
        .then((answer) => this.#send(request, response, answer));
      return false;
    });
  }

  /** Paths that lead nowhere and methods that a path does not know come as errors from restify's router. */
  #answerUnrouted(): void {
    const answer = async (request: Request, response: Response, error: { statusCode?: number }) => {
      if (response.headersSent) return;
      const allow = error.statusCode === 405 ? String(response.getHeader('Allow')) : null;
      // The router sets it before anybody has asked who calls; the Api says when it may be told.
      response.removeHeader('Allow');
      const { status, headers, body } = await this.#api.handleUnrouted(this.#plain(request, response), allow);
      await drain(request);
      // Sent restify's way, or restify would send its own answer after it. Errors are never streams.
      const content = Buffer.from((body as string | Uint8Array | null) ?? '');
      const length = body === null ? {} : { 'Content-Length': String(content.length) };
      response.sendRaw(status, content, { ...headers, ...length } as Record<string, string>);
    };
    this.#server.on('restifyError', (request, response, error, done) => {
      answer(request, response, error).then(done, done);
    });
  }

  #plain(request: Request, response: Response): RestifyRequest {
    return new RestifyRequest(request, response, this.#closing.signal);
  }

  async #send(request: Request, response: Response, answer: Awaited<ReturnType<Api['handle']>>): Promise<void> {
    const closing = this.#closing.signal.aborted ? { Connection: 'close' } : {};
    try {
      await write({ ...answer, headers: { ...answer.headers, ...closing } }, request, response);
    } catch (error) {
      this.#log.debug({ err: error }, 'a client left before its answer was complete');
      response.destroy();
    }
  }
}

function limit(server: HttpServer, { headers, request, silence, connections }: Limits): void {
  server.headersTimeout = headers;
  server.requestTimeout = request;
  server.timeout = silence;
  server.maxConnections = connections;
  server.maxHeadersCount = mostHeaders;
  // Node takes these when a server is made, which restify does by itself; they are read when it begins to listen.
  Object.assign(server, {
    maxHeaderSize: mostHeaderBytes,
    connectionsCheckingInterval: Math.min(1000, headers),
  });
}

function secured(tls: Tls, { handshake }: Limits) {
  return { ...contextOf(tls), handshakeTimeout: handshake };
}

function contextOf({ certificate, key }: Tls) {
  return { cert: certificate, key, minVersion: 'TLSv1.2' } as const;
}
