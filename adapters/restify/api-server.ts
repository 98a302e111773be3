import type { Server as HttpServer } from 'node:http';
import type { Server as HttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Api } from '../http/api.ts';
import { NodeHandler } from '../node-http/node-handler.ts';
import type { SendLog } from '../node-http/send-response.ts';
import { ConnectionLimits } from './connection-limits.ts';
import { createRestifyServer, type RestifyServer } from './restify-server.ts';
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

/** Serves the API on a port: restify listens, and hands every request to the handler of the API. */
export class ApiServer {
  readonly #api: Api;
  readonly #server: RestifyServer;
  readonly #scheme: 'http' | 'https';
  readonly #closing = new AbortController();

  constructor(api: Api, { log, tls, limits, isProxy = () => false }: ApiServerOptions) {
    this.#api = api;
    const options = { name: '', log };
    const effectiveLimits = { ...defaultLimits, ...limits };
    this.#scheme = tls ? 'https' : 'http';
    this.#server = createRestifyServer(
      tls ? { ...options, httpsServerOptions: tlsOptions(tls, effectiveLimits) } : options,
    );
    applyLimits(this.#server.server, effectiveLimits);
    const { maxConnections: max, maxConnectionsPerAddress: maxPerNetwork } = effectiveLimits;
    const connections = new ConnectionLimits(this.#server.server, { max, maxPerNetwork, exempt: isProxy });
    const closing = this.#closing.signal;
    const handler = new NodeHandler(api, { mountPath: '', log, closing, onAuthenticated: connections.authenticated });
    // The first handlers see a request before restify reads its target, and answer it whole when they return false.
    this.#server.first((request, response) => {
      handler.handle(request, response);
      return false;
    });
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
}

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
