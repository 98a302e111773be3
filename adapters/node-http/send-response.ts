import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { HttpResponse } from '../http/reply/response.ts';

/** The log of what is sent; a pino logger fits. */
export interface SendLog {
  debug(details: object, message: string): void;
}

/** Sends a response. Never rejects: a client that leaves before it is complete is logged, and its connection closed. */
export async function sendResponse(
  answer: HttpResponse,
  request: IncomingMessage,
  response: ServerResponse,
  { closing, log }: { readonly closing: AbortSignal | undefined; readonly log: SendLog },
): Promise<void> {
  const headers = closing?.aborted ? { ...answer.headers, Connection: 'close' } : answer.headers;
  try {
    await send({ ...answer, headers }, request, response);
  } catch (error) {
    log.debug({ err: error }, 'a client left before its response was complete');
    response.destroy();
  }
}

/** Sends a response; a stream is written as fast as the client reads it. */
async function send(
  { status, headers, body }: HttpResponse,
  request: IncomingMessage,
  response: ServerResponse,
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
async function drain(request: IncomingMessage): Promise<void> {
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
function willClose({ httpVersion, headers }: IncomingMessage): boolean {
  return httpVersion === '1.0' || (headers.connection !== undefined && /\bclose\b/i.test(headers.connection));
}
