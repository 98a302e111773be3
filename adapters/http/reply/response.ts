// An import of node:http would read all that it exports, and so load fetch and WebSocket, which nothing here uses: 4 MB.
const { validateHeaderName, validateHeaderValue } = process.getBuiltinModule('node:http');

/** The headers of a response. A list sends the header once for each of its values. */
export type ResponseHeaders = Readonly<Record<string, string | string[]>>;

/** A response that any web framework can send. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** An iterable is streamed; null = no body. */
  readonly body: string | Uint8Array | AsyncIterable<string | Uint8Array> | null;
}

/**
 * Checks that a response can be sent. A route or a format of a plugin may make one that cannot be sent; without this
 * check the server would close the connection without an answer.
 * @returns the same response.
 * @throws TypeError for a header or a body that HTTP cannot carry.
 */
export function checkSendable(response: HttpResponse): HttpResponse {
  const { headers, body } = response;
  for (const name in headers) {
    validateHeaderName(name);
    for (const value of [headers[name]].flat()) validateHeaderValue(name, value as string);
  }
  if (typeof body !== 'string' && body !== null && !(body instanceof Uint8Array) && !isStream(body))
    throw new TypeError(`A body must be text, bytes or a stream of them, not ${typeof body}.`);
  return response;
}

/** Whether a body is streamed. */
export function isStream(body: HttpResponse['body']): body is AsyncIterable<string | Uint8Array> {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}
