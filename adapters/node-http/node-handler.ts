import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { Api } from '../http/api.ts';
import type { HttpResponse } from '../http/reply/response.ts';
import { allMethods } from '../http/route-paths.ts';
import { NodeRequest, type Target } from './node-request.ts';
import { RouteTable } from './route-table.ts';
import { type SendLog, sendResponse } from './send-response.ts';

/**
 * Answers requests of a server of `node:http`, or of a framework that stands on one.
 * @param next is called for a path outside the API, which is 404 without it.
 */
export type HttpHandler = (request: IncomingMessage, response: ServerResponse, next?: () => void) => void;

export interface NodeHandlerOptions {
  /** The path that the API is mounted under: empty, or `/scheduler`. */
  readonly mountPath: string;
  readonly log: SendLog;
  /** Ends streams when it aborts. */
  readonly closing: AbortSignal | undefined;
  /** Called with each request that was authenticated. */
  readonly onAuthenticated?: (request: IncomingMessage) => void;
}

/** Serves the API under a path of a server that another program listens with. */
export class NodeHandler {
  readonly #api: Api;
  readonly #routes: RouteTable;
  readonly #options: NodeHandlerOptions;
  #hasListened = false;

  constructor(api: Api, options: NodeHandlerOptions) {
    this.#api = api;
    this.#routes = new RouteTable(api.routes, api.sessions);
    this.#options = options;
  }

  handle(request: IncomingMessage, response: ServerResponse, next?: () => void): void {
    const isOfServer = request.method === 'OPTIONS' && request.url === '*';
    const url = isOfServer ? null : urlOf(request);
    const path = url && this.#pathInside(url.pathname);
    if (url && path === null && next) next();
    else if (!hasValidHost(request)) refuse(response, 400);
    else if (isOfServer) void this.#respond(request, response, { pathname: '*', search: '' }, allMethods);
    else if (!url) refuse(response, 400);
    else if (path === null) refuse(response, 404);
    else void this.#respond(request, response, { pathname: path, search: url.search });
  }

  async #respond(
    request: IncomingMessage,
    response: ServerResponse,
    url: Target['url'],
    allow?: string,
  ): Promise<void> {
    this.#recordAddress(request);
    const { closing, log, onAuthenticated } = this.#options;
    const { method = 'GET' } = request;
    const match = this.#routes.find(method, url.pathname);
    const httpRequest = new NodeRequest(request, response, {
      url,
      params: match?.params ?? {},
      closing,
      onAuthenticated: onAuthenticated && (() => onAuthenticated(request)),
    });
    let answer: HttpResponse;
    if (match) answer = await this.#api.handle(match.route, httpRequest);
    else answer = await this.#api.handleUnrouted(httpRequest, allow ?? this.#routes.allowedMethods(url.pathname));
    await sendResponse(answer, request, response, { closing, log });
  }

  /** Returns the path beneath that of the API; null for a path outside it. */
  #pathInside(path: string): string | null {
    const { mountPath } = this.#options;
    if (path === mountPath) return '/';
    return path.startsWith(`${mountPath}/`) ? path.slice(mountPath.length) : null;
  }

  /** Records the address of the server at its first request, because the handler does not open the port itself. */
  #recordAddress({ socket }: IncomingMessage): void {
    if (this.#hasListened) return;
    const { localAddress = '', localPort, localFamily } = socket;
    const scheme = (socket as TLSSocket).encrypted === true ? 'https' : 'http';
    this.#api.listensOn(`${scheme}://${localFamily === 'IPv6' ? `[${localAddress}]` : localAddress}:${localPort}`);
    this.#hasListened = true;
  }
}

/** A host and a port, as RFC 3986 (3.2.2) writes them. */
const hostAndPort = /^(?:\[[\da-f:.]+\]|[\w.~%!$&'()*+,;=-]*)(?::\d*)?$/i;

/** Whether a request names one host at most, and that validly, as RFC 9112 (3.2) asks for. */
function hasValidHost({ headersDistinct: { host = [] } }: IncomingMessage): boolean {
  return host.length <= 1 && host.every((value) => hostAndPort.test(value));
}

/** Answers a request that is not the API's, whose formats it does not share. */
function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { Connection: 'close' });
  response.end();
}

/**
 * Returns the URL of a request; null for a target that is none. A framework that strips the path under which it mounts
 * a handler leaves the whole target in `originalUrl`.
 */
function urlOf(request: IncomingMessage & { readonly originalUrl?: string }): Target['url'] | null {
  const target = request.originalUrl ?? request.url ?? '';
  return URL.parse(target.startsWith('/') ? `http://localhost${target}` : target);
}
