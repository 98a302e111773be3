/** How the message body is framed: correctly as length or chunked, else malformed. */
export type Framing = 'length' | 'chunked' | 'too short' | 'too long' | 'both' | 'broken chunk' | 'no length';

export type Header = readonly [string, string];

/** An HTTP request, valid or malformed, as it is sent over the connection. */
export interface RawRequest {
  readonly method: string;
  readonly target: string;
  readonly version: string;
  /** The role of the user whose token it carries; null = none. */
  readonly sender: string | null;
  readonly headers: readonly Header[];
  readonly body: Uint8Array | null;
  readonly framing: Framing;
}

/** Returns whether the headers announce more than is sent: then the client ends its side, because the server waits for the rest. */
export function hangsUp({ framing, body, headers }: RawRequest): boolean {
  const isTruncated = framing === 'too short' || framing === 'broken chunk' || framing === 'both';
  return (body !== null && isTruncated) || headers.some(([name]) => /^(content-length|transfer-encoding)$/i.test(name));
}

/** Encodes a request. @param authorization the value of the Authorization header; null = none. */
export function bytesOf(request: RawRequest, authorization: string | null): Buffer {
  const { method, target, version, headers, body, framing } = request;
  const allHeaders = [
    ...(authorization === null ? [] : [['Authorization', authorization] as const]),
    ...(body === null ? [] : framingHeaders[framing](body.length)),
    ['Connection', 'close'] as const,
    ...headers,
  ];
  const head = [
    `${method} ${target} ${version}`,
    ...allHeaders.map(([name, value]) => `${name}: ${value}`),
    '',
    '',
  ].join('\r\n');
  return Buffer.concat([Buffer.from(head), body === null ? Buffer.alloc(0) : frameBody(body, framing)]);
}

const chunked = ['Transfer-Encoding', 'chunked'] as const;
const length = (bytes: number) => ['Content-Length', String(bytes)] as const;

const framingHeaders: Record<Framing, (bytes: number) => (readonly [string, string])[]> = {
  length: (bytes) => [length(bytes)],
  chunked: () => [chunked],
  'too short': (bytes) => [length(bytes + 10)],
  'too long': (bytes) => [length(Math.floor(bytes / 2))],
  both: (bytes) => [length(bytes), chunked],
  'broken chunk': () => [chunked],
  'no length': () => [],
};

function frameBody(body: Uint8Array, framing: Framing): Uint8Array {
  if (framing === 'broken chunk') return Buffer.concat([Buffer.from('zz\r\n'), body]);
  if (framing !== 'chunked' && framing !== 'both') return body;
  const middle = Math.ceil(body.length / 2);
  const pieces = [body.subarray(0, middle), body.subarray(middle)].filter((piece) => piece.length > 0);
  const chunk = (piece: Uint8Array) =>
    Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]);
  return Buffer.concat([...pieces.map(chunk), Buffer.from('0\r\n\r\n')]);
}

/** Returns a shell command that sends a request again; `$TOKEN` stands for the token of the sender. */
export function asShellCommand(request: RawRequest, url: string): string {
  const { hostname, port } = new URL(url);
  const bytes = bytesOf(request, request.sender === null ? null : 'Bearer $TOKEN');
  const shownBytes = bytes.length <= 4000 ? bytes : bytes.subarray(0, 4000);
  const comment = shownBytes === bytes ? '' : `  # the first 4000 of ${bytes.length} bytes; FUZZ_SEED has all of them`;
  const token = request.sender === null ? '' : `TOKEN=…  # of ${request.sender}\n`;
  return `${token}printf '${escapeForPrintf(shownBytes)}' | sed "s/\\$TOKEN/$TOKEN/" | nc ${hostname} ${port}${comment}`;
}

/** Escapes bytes for printf: those that are not plain characters in octal. */
function escapeForPrintf(bytes: Uint8Array): string {
  return [...bytes]
    .map((byte) => {
      if (byte === 0x0d) return '\\r';
      if (byte === 0x0a) return '\\n';
      const char = String.fromCharCode(byte);
      const plain = byte >= 0x20 && byte < 0x7f && !"'\\%".includes(char);
      return plain ? char : `\\${byte.toString(8).padStart(3, '0')}`;
    })
    .join('');
}
