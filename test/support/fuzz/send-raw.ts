import { connect } from 'node:net';

/** What came back on a connection that was closed after it. */
export interface RawAnswer {
  readonly status: number;
  /** Names in small letters. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

export interface Sent {
  /** Null when the connection was closed without a word. */
  readonly answer: RawAnswer | null;
  /** It was still open when patience ended. */
  readonly hung: boolean;
  readonly milliseconds: number;
}

/** Sends bytes over a connection of their own and reads until the other side closes it. */
export function sendRaw(
  url: string,
  bytes: Buffer,
  { end, patience }: { readonly end: boolean; readonly patience: number },
): Promise<Sent> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const began = performance.now();
    const pieces: Buffer[] = [];
    let hung = false;
    let seen = '';
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    const timer = setTimeout(() => {
      hung = true;
      socket.destroy();
    }, patience);
    socket.on('data', (piece) => {
      pieces.push(piece);
      // A stream of events need not end by itself: leaving is what clients do.
      if (seen.length > 4000) return;
      seen += piece.toString('latin1');
      if (/text\/event-stream[\s\S]*\r\n\r\n/.test(seen)) socket.destroy();
    });
    socket.on('error', () => undefined);
    socket.on('end', () => socket.destroy());
    socket.on('close', () => {
      clearTimeout(timer);
      resolve({ answer: readAnswer(Buffer.concat(pieces)), hung, milliseconds: performance.now() - began });
    });
    if (end) socket.end(bytes);
    else socket.write(bytes);
  });
}

/** The last whole answer that is no interim one. */
function readAnswer(bytes: Buffer): RawAnswer | null {
  const end = bytes.indexOf('\r\n\r\n');
  const [first = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const [, status] = /^HTTP\/1\.1 (\d{3})/.exec(first) ?? [];
  if (end < 0 || status === undefined) return null;
  const rest = bytes.subarray(end + 4);
  if (status.startsWith('1')) return readAnswer(rest);
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
