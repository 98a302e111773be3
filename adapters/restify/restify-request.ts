import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import type { HttpRequest } from '@horarium/core';
import type { Request, Response } from 'restify';
import type { HttpResponse } from '../http/reply/response.ts';

/**
 * Adapts a restify request to the Api. It is a class, because an object literal would create its getters for every
 * request.
 */
export class RestifyRequest implements HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly search: string;
  readonly params: HttpRequest['params'];
  readonly headers: HttpRequest['headers'];
  readonly encrypted: boolean;
  readonly peer: string;
  readonly #request: Request;
  readonly #response: Response;
  readonly #closing: AbortSignal;

  /** @param closing aborts when the server closes. */
  constructor(request: Request, response: Response, closing: AbortSignal) {
    // biome-ignore lint/suspicious/noExplicitAny: the types are of an older restify, where getUrl gave another shape.
    const url = (request as any).getUrl() as URL;
    this.method = request.method ?? 'GET';
    this.path = url.pathname;
    this.search = url.search;
    this.params = request.params as HttpRequest['params'];
    this.headers = request.headersDistinct;
    this.encrypted = (request.socket as TLSSocket).encrypted === true;
    this.peer = request.socket.remoteAddress ?? '';
    this.#request = request;
    this.#response = response;
    this.#closing = closing;
  }

  get body(): HttpRequest['body'] {
    // Leaving the loop early must not destroy the connection: the response is still to be sent.
    return this.#request.iterator({ destroyOnReturn: false });
  }

  get signal(): AbortSignal {
    const disconnected = new AbortController();
    this.#response.once('close', () => disconnected.abort());
    return AbortSignal.any([disconnected.signal, this.#closing]);
  }
}

/** Sends a response; a stream is written as fast as the client reads it. */
export async function send(
  { status, headers, body }: HttpResponse,
  request: Request,
  response: Response,
): Promise<void> {
  // Only other requests are drained, because Node itself discards the rest of a complete one, as most are.
  if (!request.complete || willClose(request)) await drain(request);
  if (body === null || typeof body === 'string' || body instanceof Uint8Array) {
    const length = body === null ? 0 : Buffer.byteLength(body);
    const withLength = body === null && status !== 200 ? {} : { 'Content-Length': String(length) };
    response.writeHead(status, { ...headers, ...withLength });
    if (request.method === 'HEAD' || body === null) response.end();
    // A text with as many bytes as characters is plain ASCII, which is copied without being encoded.
    else response.end(body, body.length === length ? 'latin1' : 'utf8');
    return;
  }
  response.writeHead(status, headers);
  if (request.method === 'HEAD') response.end();
  else await pipeline(Readable.from(body), response);
}

/** The time to wait for the rest of a body before the connection is closed, in milliseconds. */
const lingerTime = 1000;

/**
 * Reads the rest of a request's body and discards it. The next request on the connection would wait behind it forever,
 * and closing a connection with unread data resets it, so that the client loses the response.
 */
export async function drain(request: Request): Promise<void> {
  request.resume();
  if (!willClose(request) || request.readableEnded || request.destroyed) return;
  const waiting = new AbortController();
  const first = (event: string) => once(request, event, { signal: waiting.signal });
  await Promise.race([first('end'), first('close'), pause(lingerTime, undefined, { signal: waiting.signal })]).catch(
    () => undefined,
  );
  waiting.abort();
}

/** Whether the client wants the connection closed after the response. */
function willClose({ httpVersion, headers }: Request): boolean {
  return httpVersion === '1.0' || (headers.connection !== undefined && /\bclose\b/i.test(headers.connection));
}
