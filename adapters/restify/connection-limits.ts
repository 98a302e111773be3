import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { clientNetwork, unmapIpv4 } from '../http/security/networks.ts';

export interface ConnectionLimitOptions {
  /** The maximum number of open connections. */
  readonly max: number;
  /** The maximum number of open connections from one client's network that is not exempt. */
  readonly maxPerNetwork: number;
  /** Whether an address is that of a proxy, which connects for many clients. */
  readonly exempt: (address: string) => boolean;
}

interface Connection {
  /** Identifies it also when its socket is closed and has no other end any more. */
  readonly key: string;
  readonly socket: Socket;
  /** Null for a proxy. */
  readonly network: string | null;
  /** Whether it has carried a request that was authenticated. */
  authenticated: boolean;
  requestsInProgress: number;
  /** Grows with each connection, and with each request that begins or ends. */
  lastUsed: number;
}

/**
 * Limits the open connections of a server, and of each client's network. At a limit it closes the connection that has
 * been idle longest, those without an authenticated request first, so that idle connections shut nobody out. It refuses
 * a new connection only where each open one is answering an authenticated request.
 */
export class ConnectionLimits {
  readonly #options: ConnectionLimitOptions;
  readonly #open = new Map<string, Connection>();
  #uses = 0;

  constructor(server: Server, options: ConnectionLimitOptions) {
    this.#options = options;
    server.on('connection', (socket) => this.#accept(socket));
    server.on('request', (request, response) => this.#track(request, response));
  }

  /** Notes that the request was authenticated. */
  readonly authenticated = ({ socket }: IncomingMessage): void => {
    const connection = this.#open.get(keyOf(socket));
    if (connection) connection.authenticated = true;
  };

  #accept(socket: Socket): void {
    const { max, maxPerNetwork, exempt } = this.#options;
    const address = socket.remoteAddress;
    if (address === undefined) return;
    const network = exempt(address) ? null : clientNetwork(unmapIpv4(address));
    const ofNetwork = network === null ? [] : [...this.#open.values()].filter((each) => each.network === network);
    const hasRoom = ofNetwork.length < maxPerNetwork || this.#closeOneOf(ofNetwork);
    if (!hasRoom || (this.#open.size >= max && !this.#closeOneOf([...this.#open.values()]))) {
      socket.destroy();
      return;
    }
    const key = keyOf(socket);
    const connection = { key, socket, network, authenticated: false, requestsInProgress: 0, lastUsed: ++this.#uses };
    this.#open.set(key, connection);
    socket.once('close', () => {
      // Another connection from the same port may have replaced one that was closed here.
      if (this.#open.get(key) === connection) this.#open.delete(key);
    });
  }

  #track({ socket }: IncomingMessage, response: ServerResponse): void {
    const connection = this.#open.get(keyOf(socket));
    if (!connection) return;
    connection.requestsInProgress += 1;
    connection.lastUsed = ++this.#uses;
    response.once('close', () => {
      connection.requestsInProgress -= 1;
      connection.lastUsed = ++this.#uses;
    });
  }

  /** @returns false where each of the connections is answering an authenticated request. */
  #closeOneOf(connections: readonly Connection[]): boolean {
    const [first] = connections
      .filter(({ authenticated, requestsInProgress }) => !authenticated || requestsInProgress === 0)
      .sort((a, b) => Number(a.authenticated) - Number(b.authenticated) || a.lastUsed - b.lastUsed);
    if (!first) return false;
    this.#open.delete(first.key);
    first.socket.destroy();
    return true;
  }
}

/** Identifies a connection by its other end: the socket of a request over TLS is not that of the connection. */
function keyOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
