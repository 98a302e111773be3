import { once } from 'node:events';
import { connect } from 'node:net';
import type { Route } from '@horarium/core';
import { expect } from 'chai';
import { exchangeBytes, hostileRequests, invalidHosts, validHosts } from '../../support/http/hostile-requests.ts';
import { HttpService } from '../../support/http/http-service.ts';
import { permissiveRouteShape } from '../../support/http/permissive-route-shape.ts';

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

  for (const [what, bytes] of hostileRequests)
    it(`survives ${what}`, async () => {
      const text = await exchangeBytes(service.url, bytes, () => false);
      expect(text).to.match(/^HTTP\/1\.1 [2-5]\d\d /);
      expect(text).not.to.match(/^HTTP\/1\.1 500/);
      expect((await service.request('/ping')).status).to.equal(200);
    });

  it('refuses a request whose Host is not valid', async () => {
    for (const [hosts, status] of [
      [invalidHosts, 400],
      [validHosts, 404],
    ] as const)
      for (const host of hosts) {
        const request = `GET /nowhere HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
        const text = await exchangeBytes(service.url, request, () => false);
        expect(text.slice(0, 12), host).to.equal(`HTTP/1.1 ${status}`);
      }
  });

  it('answers a request for another protocol by HTTP/1.1, as clients that also speak HTTP/2 send it', async () => {
    for (const protocol of ['h2c', 'websocket']) {
      const request = `GET /api/v1/ping HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, close\r\nUpgrade: ${protocol}\r\n\r\n`;
      expect(await exchangeBytes(service.url, request, () => false), protocol).to.include('"pong":true');
    }
  });

  it('answers OPTIONS * as it answers every request', async () => {
    const text = await exchangeBytes(
      service.url,
      'OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
      () => false,
    );
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
    const text = await exchangeBytes(service.url, refused + next, (so_far) => so_far.includes('"pong":true'));
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
      const text = await exchangeBytes(service.url, request, () => false);
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
    await service.server.close(200);
    expect((await endless).text).to.match(/^piece\n/);
    expect(await stuck).to.equal('ECONNRESET');
    release();
  });

  it('streams a response as it is written', async () => {
    const text = await exchangeBytes(
      service.url,
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
