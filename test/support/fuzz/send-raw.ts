import { connect } from 'node:net';

/** A response that was read until the connection closed. */
export interface RawResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

export interface Exchange {
  /** Null = the connection was closed without a response. */
  readonly response: RawResponse | null;
  /** Whether the connection was still open after the timeout. */
  readonly timedOut: boolean;
  readonly milliseconds: number;
}

/** Sends bytes over a new connection and reads until the server closes it. @param end whether the client ends its side after the bytes. */
export function sendRaw(
  url: string,
  bytes: Buffer,
  { end, timeout }: { readonly end: boolean; readonly timeout: number },
): Promise<Exchange> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const began = performance.now();
    const pieces: Buffer[] = [];
    let timedOut = false;
    let received = '';
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    const timer = setTimeout(() => {
      timedOut = true;
      socket.destroy();
    }, timeout);
    socket.on('data', (piece) => {
      pieces.push(piece);
      // The server does not end a stream of events, so the client closes the connection.
      if (received.length > 4000) return;
      received += piece.toString('latin1');
      if (/text\/event-stream[\s\S]*\r\n\r\n/.test(received)) socket.destroy();
    });
    socket.on('error', () => undefined);
    socket.on('end', () => socket.destroy());
    socket.on('close', () => {
      clearTimeout(timer);
      resolve({ response: readResponse(Buffer.concat(pieces)), timedOut, milliseconds: performance.now() - began });
    });
    if (end) socket.end(bytes);
    else socket.write(bytes);
  });
}

/** Parses the final response, after interim ones (1xx). */
function readResponse(bytes: Buffer): RawResponse | null {
  const end = bytes.indexOf('\r\n\r\n');
  const [first = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(first) ?? [];
  if (end < 0 || status === undefined) return null;
  const rest = bytes.subarray(end + 4);
  if (status.startsWith('1')) return readResponse(rest);
  const headers = new Map<string, string>();
  for (const line of lines) {
    const [, name = '', value = ''] = /^([^:]+):\s*(.*)$/.exec(line) ?? [];
    headers.set(name.toLowerCase(), value);
  }
  const body = headers.get('transfer-encoding') === 'chunked' ? joinChunks(rest) : rest;
  return { status: Number(status), headers, body };
}

/** Joins the chunks of a chunked body. */
function joinChunks(bytes: Buffer): Buffer {
  const pieces: Buffer[] = [];
  for (let position = 0; position < bytes.length; ) {
    const line = bytes.indexOf('\r\n', position);
    const size = Number.parseInt(bytes.subarray(position, line).toString('latin1'), 16);
    if (line < 0 || !(size > 0)) break;
    pieces.push(bytes.subarray(line + 2, line + 2 + size));
    position = line + 2 + size + 2;
  }
  return Buffer.concat(pieces);
}
