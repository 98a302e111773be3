import { connect } from 'node:net';

/** A response that was read until the connection closed. */
export interface RawResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

export interface Exchange {
  /** Null when the connection closed without a response. */
  readonly response: RawResponse | null;
  /** The connection was still open after the timeout. */
  readonly timedOut: boolean;
  readonly milliseconds: number;
}

/** Sends bytes over a connection of their own and reads until the server closes it. */
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
      // A stream of events does not end by itself; the client leaves.
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

/** The final response; interim ones (1xx) are skipped. */
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
  const body = headers.get('transfer-encoding') === 'chunked' ? joined(rest) : rest;
  return { status: Number(status), headers, body };
}

function joined(bytes: Buffer): Buffer {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const line = bytes.indexOf('\r\n', at);
    const size = Number.parseInt(bytes.subarray(at, line).toString('latin1'), 16);
    if (line < 0 || !(size > 0)) break;
    pieces.push(bytes.subarray(line + 2, line + 2 + size));
    at = line + 2 + size + 2;
  }
  return Buffer.concat(pieces);
}
