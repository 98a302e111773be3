import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { TLSSocket } from 'node:tls';
import type { Request, Response } from 'restify';
import type { HttpAnswer, HttpRequest } from '../http/request.ts';

/** A restify request as plain data. */
export function plainRequest(request: Request, response: Response, closing: AbortSignal): HttpRequest {
  // biome-ignore lint/suspicious/noExplicitAny: the types are of an older restify, where getUrl gave another shape.
  const url = (request as any).getUrl() as URL;
  return {
    method: request.method ?? 'GET',
    path: url.pathname,
    search: url.search,
    params: request.params as Record<string, string>,
    headers: request.headersDistinct,
    encrypted: (request.socket as TLSSocket).encrypted === true,
    peer: request.socket.remoteAddress ?? '',
    // Leaving the loop early must not destroy the connection: the answer is still to be sent.
    get body() {
      return request.iterator({ destroyOnReturn: false });
    },
    get signal() {
      const gone = new AbortController();
      response.once('close', () => gone.abort());
      return AbortSignal.any([gone.signal, closing]);
    },
  };
}

/** Writes an answer; pieces are written as fast as the client takes them. */
export async function write(answer: HttpAnswer, request: Request, response: Response): Promise<void> {
  const { status, body } = answer;
  // What is left of the request's body is read and thrown away, or the next request would wait behind it forever.
  request.resume();
  if (body === null || typeof body === 'string' || body instanceof Uint8Array) {
    const length = body === null ? 0 : Buffer.byteLength(body);
    const withLength = body === null && status !== 200 ? {} : { 'Content-Length': String(length) };
    response.writeHead(status, { ...answer.headers, ...withLength });
    response.end(request.method === 'HEAD' || body === null ? undefined : body);
    return;
  }
  response.writeHead(status, answer.headers);
  if (request.method === 'HEAD') response.end();
  else await pipeline(Readable.from(body), response);
}
