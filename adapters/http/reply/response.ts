import { validateHeaderName, validateHeaderValue } from 'node:http';

/** Several values become so many headers of that name. */
export type ResponseHeaders = Readonly<Record<string, string | string[]>>;

/** A response that any web framework can send. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** Null for none; an iterable is streamed. */
  readonly body: string | Uint8Array | AsyncIterable<string | Uint8Array> | null;
}

/**
 * Checks what routes and formats of plugins have made: a response that cannot be sent would close its connection
 * without an answer.
 * @returns the response.
 * @throws TypeError for a header or a body that HTTP cannot carry.
 */
export function sendable(response: HttpResponse): HttpResponse {
  const { headers, body } = response;
  for (const name in headers) {
    validateHeaderName(name);
    for (const value of [headers[name]].flat()) validateHeaderValue(name, value as string);
  }
  const streamed = typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
  if (typeof body !== 'string' && body !== null && !(body instanceof Uint8Array) && !streamed)
    throw new TypeError(`A body must be text, bytes or a stream of them, not ${typeof body}.`);
  return response;
}
