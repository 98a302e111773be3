import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { HttpRequest } from '@horarium/core';

/** What only the handler knows of a request. */
export interface Target {
  /** The URL of the request as the API sees it, whatever its host. */
  readonly url: Pick<URL, 'pathname' | 'search'>;
  readonly params: HttpRequest['params'];
  /** Aborts when the server closes. */
  readonly closing: AbortSignal | undefined;
  readonly onAuthenticated: (() => void) | undefined;
}

/**
 * Adapts a request of `node:http` to the Api. It is a class, because an object literal would create its getters for every
 * request.
 */
export class NodeRequest implements HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly search: string;
  readonly params: HttpRequest['params'];
  readonly headers: HttpRequest['headers'];
  readonly encrypted: boolean;
  readonly peer: string;
  readonly onAuthenticated: (() => void) | undefined;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #closing: AbortSignal | undefined;
  #disconnection: AbortController | null = null;

  constructor(request: IncomingMessage, response: ServerResponse, { url, params, closing, onAuthenticated }: Target) {
    this.method = request.method ?? 'GET';
    this.path = url.pathname;
    this.search = url.search;
    this.params = params;
    this.headers = request.headersDistinct;
    this.encrypted = (request.socket as TLSSocket).encrypted === true;
    this.peer = request.socket.remoteAddress ?? '';
    this.onAuthenticated = onAuthenticated;
    this.#request = request;
    this.#response = response;
    this.#closing = closing;
  }

  /** @throws Error when another reader, such as a body parser of the surrounding server, was there before. */
  get body(): HttpRequest['body'] {
    if (this.#request.readableDidRead)
      throw new Error('The body was read before the request reached the API: mount the API before any body parser.');
    // Leaving the loop early must not destroy the connection: the response is still to be sent.
    return this.#request.iterator({ destroyOnReturn: false });
  }

  whenClosed(callback: () => void): void {
    if (this.#response.closed) callback();
    else this.#disconnected.addEventListener('abort', callback, { once: true });
  }

  get signal(): AbortSignal {
    return this.#closing ? AbortSignal.any([this.#disconnected, this.#closing]) : this.#disconnected;
  }

  /** Aborted when the connection is closed. One listener serves all: Node warns of more than ten, and adds most itself. */
  get #disconnected(): AbortSignal {
    if (!this.#disconnection) {
      const disconnection = new AbortController();
      this.#response.once('close', () => disconnection.abort());
      this.#disconnection = disconnection;
    }
    return this.#disconnection.signal;
  }
}
