import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Route } from '@horarium/core';
import { expect } from 'chai';
import { HttpService } from '../../support/http/http-service.ts';
import { permissiveRouteShape } from '../../support/http/permissive-route-shape.ts';

/** Sends bytes as they are and reads until the other side is idle or closed. */
async function raw(service: HttpService, bytes: string, enough: (text: string) => boolean): Promise<string> {
  const { hostname, port } = new URL(service.url);
  const socket: Socket = connect(Number(port), hostname);
  let text = '';
  socket.on('data', (piece) => {
    text += piece;
    if (enough(text)) socket.end();
  });
  socket.on('error', () => undefined);
  socket.write(bytes);
  await new Promise<void>((resolve) => socket.once('close', () => resolve()));
  return text;
}

describe('ApiServer', () => {
  let service: HttpService;
  /** Resolves when the slow route has begun; `release` ends it. */
  let begun = Promise.resolve();
  let begin: () => void = () => undefined;
  /** Resolves when the endless route streams. */
  let streamed = Promise.resolve();
  let stream: () => void = () => undefined;
  let release: () => void = () => undefined;
  const slow: Route = {
    method: 'GET',
    path: '/slow.{suffix}',
    summary: 'Reply when the test releases it',
    authentication: 'required',
    shape: permissiveRouteShape('waitForTest'),
    handle: async () => {
      await new Promise<void>((resolve) => {
        release = resolve;
        begin();
      });
      return { value: { done: true } };
    },
  };
  const endless: Route = {
    method: 'GET',
    path: '/endless.{suffix}',
    summary: 'Stream until the client leaves',
    authentication: 'required',
    shape: permissiveRouteShape('streamForTest'),
    handle: async ({ request, core }) => {
      const { signal } = request;
      async function* pieces() {
        for (; !signal.aborted; await core.clock.sleep(60_000, signal)) {
          yield 'piece\n';
          stream();
        }
        yield 'ended\n';
      }
      return { stream: { mime: 'text/plain', pieces: pieces() } };
    },
  };

  beforeEach(async () => {
    begun = new Promise((resolve) => {
      begin = resolve;
    });
    streamed = new Promise((resolve) => {
      stream = resolve;
    });
    service = await new HttpService({ extraRoutes: [slow, endless], bodyLimit: 1000 }).start();
  });
  afterEach(() => service.stop());

  const line = (target: string, host = 'localhost') =>
    `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;

  for (const [what, bytes] of [
    ['an invalid Host', line('/api/v1/ping', '[bad')],
    ['a Host with a space', line('/api/v1/ping', 'a b')],
    ['a Host with an invalid port', line('/api/v1/ping', 'localhost:99999999')],
    ['an absolute target that is not a URL', line('http://[bad/ping')],
    ['the target *', line('*')],
    ['OPTIONS *', 'OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'],
    ['two slashes', line('//api/v1/ping')],
    ['a broken percent sign', line('/api/v1/app/%E0%A4%A')],
    ['a null byte', line('/api/v1/app/%00')],
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
  ] as const)
    it(`survives ${what}`, async () => {
      const text = await raw(service, bytes, () => false);
      expect(text).to.match(/^HTTP\/1\.1 [2-5]\d\d /);
      expect(text).not.to.match(/^HTTP\/1\.1 500/);
      expect((await service.request('/ping')).status).to.equal(200);
    });

  it('answers OPTIONS * as it answers every request', async () => {
    const text = await raw(service, 'OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n', () => false);
    expect(text).to.match(/^HTTP\/1\.1 204 /);
    for (const header of ['Allow: DELETE, GET, HEAD, OPTIONS, POST', 'X-Request-Id: ', 'Cache-Control: no-store'])
      expect(text).to.include(`\r\n${header}`);
  });

  it('survives clients that disconnect in the middle of a body or of a response', async () => {
    const { hostname, port } = new URL(service.url);
    const head = `POST /api/v1/topic HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${service.admin}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"na`;
    const socket = connect(Number(port), hostname);
    socket.write(head);
    await once(socket, 'connect');
    socket.resetAndDestroy();
    const other = connect(Number(port), hostname);
    other.write(`GET /api/v1/endless HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${service.admin}\r\n\r\n`);
    await once(other, 'data');
    other.resetAndDestroy();
    expect((await service.request('/ping')).status).to.equal(200);
    expect((await service.requestAsAdmin('/topics.json')).json).to.deep.equal([]);
  });

  it('answers the next request on a connection after a body that it refused to read', async () => {
    const large = 'x'.repeat(300_000);
    const refused = `POST /api/v1/topic HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${service.admin}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${large.length.toString(16)}\r\n${large}\r\n0\r\n\r\n`;
    const next = 'GET /api/v1/ping HTTP/1.1\r\nHost: localhost\r\n\r\n';
    const text = await raw(service, refused + next, (so_far) => so_far.includes('"pong":true'));
    expect(text).to.match(/^HTTP\/1\.1 413 /);
    expect(text).to.include('HTTP/1.1 200 OK');
  });

  it('delivers the response before it closes a connection with an unread body', async () => {
    const body = 'x'.repeat(5_000_000);
    for (const [head, status] of [
      ['GET /api/v1/openapi', 200],
      ['POST /api/v1/topic', 413],
      ['PUT /api/v1/nowhere', 404],
    ] as const) {
      const request = `${head} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: ${service.admin}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
      const text = await raw(service, request, () => false);
      const [, length] = /Content-Length: (\d+)/i.exec(text) ?? [];
      expect(text).to.match(new RegExp(`^HTTP/1\\.1 ${status} `));
      expect(Buffer.byteLength(text.slice(text.indexOf('\r\n\r\n') + 4))).to.equal(Number(length));
    }
  });

  it('accepts no more requests when it closes, and lets those in flight finish', async () => {
    const response = service.requestAsAdmin('/slow.json');
    await begun;
    const closed = service.server.close(5000);
    let refused = '';
    await service.request('/ping').catch((error: NodeJS.ErrnoException) => {
      refused = String(error.code);
    });
    expect(refused).to.equal('ECONNREFUSED');
    release();
    expect((await response).json).to.deep.equal({ done: true });
    await closed;
  });

  it('ends streams when it closes, and aborts requests that outlast the grace period', async () => {
    const endless = service.requestAsAdmin('/endless.json');
    const stuck = service.requestAsAdmin('/slow.json').catch((error: NodeJS.ErrnoException) => String(error.code));
    await Promise.all([begun, streamed]);
    const started = performance.now();
    await service.server.close(200);
    expect(performance.now() - started).to.be.below(4000);
    expect((await endless).text).to.match(/^piece\n/);
    expect(await stuck).to.equal('ECONNRESET');
    release();
  });

  it('streams a response as it is written', async () => {
    const text = await raw(
      service,
      `GET /api/v1/endless HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${service.admin}\r\n\r\n`,
      (so_far) => so_far.includes('piece\n'),
    );
    expect(text).to.include('Transfer-Encoding: chunked');
  });

  it('rejects a port that is in use, naming it', async () => {
    const { port } = new URL(service.url);
    const second = new HttpService();
    const error = await second.server.listen(Number(port), '127.0.0.1').catch((reason: unknown) => reason);
    expect(error).to.include({ code: 'EADDRINUSE' });
  });
});
