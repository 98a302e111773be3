import { connect } from 'node:net';

/** Sends bytes as they are and returns what comes back, until that is enough or the other side closes. */
export async function exchangeBytes(url: string, bytes: string, isEnough: (text: string) => boolean): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let text = '';
  socket.on('data', (piece) => {
    text += piece;
    if (isEnough(text)) socket.end();
  });
  socket.on('error', () => undefined);
  socket.write(bytes);
  await new Promise<void>((resolve) => socket.once('close', () => resolve()));
  return text;
}

const get = (target: string, host = 'localhost') =>
  `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;

/** Values of `Host` that are no host and port, as a server sees them. */
export const invalidHosts = [
  'x/api/v1/ping#',
  'x/api/v1/ping?',
  'x\\api\\v1\\ping#',
  'user@localhost',
  '[',
  'a b',
  'x\r\nHost: y',
];

export const validHosts = [
  '',
  'localhost',
  'a_b.example:',
  'x.example:8080',
  '[::1]:8080',
  '127.0.0.1:80',
  '%C3%A4.example',
];

/** Requests that no client sends by mistake; a server answers each and goes on. */
export const hostileRequests = [
  ['an invalid Host', get('/api/v1/ping', '[bad')],
  ['a Host with a space', get('/api/v1/ping', 'a b')],
  ['a Host with an invalid port', get('/api/v1/ping', 'localhost:99999999')],
  ['an absolute target that is not a URL', get('http://[bad/ping')],
  ['the target *', get('*')],
  ['OPTIONS *', 'OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'],
  ['two slashes', get('//api/v1/ping')],
  ['a broken percent sign', get('/api/v1/app/%E0%A4%A')],
  ['a null byte', get('/api/v1/app/%00')],
  ['no HTTP at all', 'hello\r\n\r\n'],
  ['two Hosts', 'GET /api/v1/ping HTTP/1.1\r\nHost: localhost\r\nHost: other\r\nConnection: close\r\n\r\n'],
  [
    'a gzip body that is not compressed',
    'POST /api/v1/login HTTP/1.1\r\nHost: localhost\r\nContent-Encoding: gzip\r\nContent-Type: application/json\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc',
  ],
  [
    '__proto__ as a header',
    'GET /api/v1/ping HTTP/1.1\r\nHost: localhost\r\n__proto__: x\r\nConnection: close\r\n\r\n',
  ],
] as const;
