import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import type { HttpRequest } from '@horarium/core';
import type { Request, Response } from 'restify';
import type { HttpResponse } from '../http/request/request.ts';

/** A restify request as the Api knows requests. A class, because getters of objects are made anew for each of them. */
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

  /** @param closing aborts when the server closes */
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
    // Leaving the loop early must not destroy the connection: the answer is still to be sent.
    return this.#request.iterator({ destroyOnReturn: false });
  }

  get signal(): AbortSignal {
    const gone = new AbortController();
    this.#response.once('close', () => gone.abort());
    return AbortSignal.any([gone.signal, this.#closing]);
  }
}

/** Writes an answer; pieces are written as fast as the client takes them. */
export async function write(answer: HttpResponse, request: Request, response: Response): Promise<void> {
  const { status, body } = answer;
  // Of a request that has come to its end, as most have, node throws away by itself what was not read.
  if (!request.complete || willClose(request)) await drain(request);
  if (body === null || typeof body === 'string' || body instanceof Uint8Array) {
    const length = body === null ? 0 : Buffer.byteLength(body);
    const withLength = body === null && status !== 200 ? {} : { 'Content-Length': String(length) };
    response.writeHead(status, { ...answer.headers, ...withLength });
    if (request.method === 'HEAD' || body === null) response.end();
    // As many bytes as letters: plain ASCII, which then need not be encoded, only copied.
    else response.end(body, body.length === length ? 'latin1' : 'utf8');
    return;
  }
  response.writeHead(status, answer.headers);
  if (request.method === 'HEAD') response.end();
  else await pipeline(Readable.from(body), response);
}

/** How long the rest of a body is waited for where the connection will be closed, in milliseconds. */
const lingering = 1000;

/**
 * Reads what is left of a request's body and throws it away: the next request would wait behind it forever, and a
 * connection that is closed before it was read is reset, which takes the answer away from its client.
 */
export async function drain(request: Request): Promise<void> {
  request.resume();
  if (!willClose(request) || request.readableEnded || request.destroyed) return;
  const waited = new AbortController();
  const over = (event: string) => once(request, event, { signal: waited.signal });
  await Promise.race([over('end'), over('close'), pause(lingering, undefined, { signal: waited.signal })]).catch(
    () => undefined,
  );
  waited.abort();
}

/** Whether the connection is closed after the answer, because its client wants that. */
function willClose({ httpVersion, headers }: Request): boolean {
  return httpVersion === '1.0' || (headers.connection !== undefined && /\bclose\b/i.test(headers.connection));
}
