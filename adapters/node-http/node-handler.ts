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
}

/** Serves the API under a path of a server that another program listens with. */
export class NodeHandler {
  readonly #api: Api;
  readonly #routes: RouteTable;
  readonly #options: NodeHandlerOptions;
  #hasListened = false;

  constructor(api: Api, options: NodeHandlerOptions) {
    this.#api = api;
    this.#routes = new RouteTable(api.routes);
    this.#options = options;
  }

  handle(request: IncomingMessage, response: ServerResponse, next: (() => void) | undefined): void {
    const isWholeServer = request.method === 'OPTIONS' && request.url === '*';
    const url = isWholeServer ? { pathname: '*', search: '' } : urlOf(request);
    if (!url) {
      response.writeHead(400, { Connection: 'close' });
      response.end();
      return;
    }
    const path = this.#pathInside(url.pathname);
    if (path === null && next) {
      next();
      return;
    }
    this.#recordAddress(request);
    const inside = { pathname: path ?? url.pathname, search: url.search };
    void this.#respond(request, response, inside, isWholeServer ? allMethods : null);
  }

  async #respond(
    request: IncomingMessage,
    response: ServerResponse,
    url: Target['url'],
    allow: string | null,
  ): Promise<void> {
    const { closing, log } = this.#options;
    const { method = 'GET' } = request;
    const match = this.#routes.find(method, url.pathname);
    const httpRequest = new NodeRequest(request, response, { url, params: match?.params ?? {} }, closing);
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

/**
 * Returns the URL of a request; null for a target that is none. A framework that strips the path under which it mounts
 * a handler leaves the whole target in `originalUrl`.
 */
function urlOf(request: IncomingMessage & { readonly originalUrl?: string }): Target['url'] | null {
  const target = request.originalUrl ?? request.url ?? '';
  return URL.parse(target.startsWith('/') ? `http://localhost${target}` : target);
}
