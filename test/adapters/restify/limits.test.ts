import { once } from 'node:events';
import { Agent, get as httpGet } from 'node:http';
import { connect, type Socket } from 'node:net';
import { type Route, Topic, trustedActor } from '@horarium/core';
import { expect } from 'chai';
import { newRow } from '#core/store/table';
import { HttpService } from '../../support/http/http-service.ts';
import { permissiveRouteShape } from '../../support/http/permissive-route-shape.ts';
import { eventually } from '../../support/mocha/eventually.ts';

/** Called when the stream is closed. */
let given: () => void = () => undefined;

/** Streams a lot to a client that does not read. */
const flood: Route = {
  method: 'GET',
  path: '/flood.{suffix}',
  summary: 'Stream without an end',
  authentication: 'none',
  shape: permissiveRouteShape('flood'),
  handle: async () => {
    async function* pieces() {
      try {
        for (;;) yield 'x'.repeat(65_536);
      } finally {
        given();
      }
    }
    return { stream: { mime: 'text/plain', pieces: pieces() } };
  },
};

describe('A slow client', () => {
  let service: HttpService;
  const limits = { headersTimeout: 500, requestTimeout: 800, idleTimeout: 700, maxConnections: 3 };
  const open = async () => {
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    return socket;
  };
  /** Everything received until the other side closed. */
  const rest = async (socket: Socket) => {
    let text = '';
    socket.on('data', (piece) => {
      text += piece;
    });
    if (!socket.closed) await new Promise<void>((resolve) => socket.once('close', () => resolve()));
    return text;
  };

  beforeEach(async () => {
    service = await new HttpService({ limits, extraRoutes: [flood] }).start();
  });
  afterEach(() => service.stop());

  it('is disconnected when it sends nothing', async () => {
    expect(await rest(await open())).to.match(/^HTTP\/1\.1 408 |^$/);
  });

  it('is disconnected when it sends headers a byte at a time', async () => {
    const socket = await open();
    const drip = setInterval(() => socket.write('X'), 20);
    socket.write('GET /api/v1/ping HTTP/1.1\r\nHost: localhost\r\n');
    expect(await rest(socket)).to.match(/^HTTP\/1\.1 408 /);
    clearInterval(drip);
  });

  it('is disconnected when it sends a body a byte at a time', async () => {
    const socket = await open();
    const drip = setInterval(() => socket.write(' '), 20);
    const head = `POST /api/v1/topic HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${service.admin}\r\n`;
    socket.write(`${head}Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n{`);
    expect(await rest(socket)).to.match(/^HTTP\/1\.1 408 /);
    clearInterval(drip);
    expect((await service.requestAsAdmin('/topics.json')).json).to.deep.equal([]);
  });

  it('is disconnected when it does not read the response', async () => {
    const ended = new Promise<void>((resolve) => {
      given = resolve;
    });
    const socket = await open();
    socket.write('GET /api/v1/flood HTTP/1.1\r\nHost: localhost\r\n\r\n');
    socket.pause();
    await ended;
    socket.destroy();
  });

  it('cannot block other clients with too many connections: a further one closes that which was idle longest', async () => {
    const [longest, ...others] = [await open(), await open(), await open()];
    expect((await service.request('/ping')).status).to.equal(200);
    expect(await rest(longest as Socket)).to.equal('');
    expect(others.map(({ closed }) => closed)).to.deep.equal([false, false]);
    await Promise.all(others.map(rest));
  });

  it('keeps the connection of a caller who was authenticated, while idle ones without are closed', async () => {
    const one = await new HttpService({ limits: { idleTimeout: 60_000, maxConnections: 3 } }).start();
    const { hostname, port } = new URL(one.url);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const get = () =>
      new Promise<Socket>((resolve, reject) => {
        const headers = { authorization: one.admin };
        const options = { hostname, port, path: '/api/v1/index.json', headers, agent };
        httpGet(options, (response) => response.resume().once('end', () => resolve(response.socket))).on(
          'error',
          reject,
        );
      });
    const socket = await get();
    const idle: Socket[] = [];
    for (let n = 0; n < 6; n++) {
      const next = connect(Number(port), hostname);
      next.on('error', () => undefined);
      await once(next, 'connect');
      idle.push(next);
    }
    expect((await one.request('/ping')).status).to.equal(200);
    expect(await get()).to.equal(socket);
    for (const each of idle) each.destroy();
    agent.destroy();
    await one.stop();
  });

  it('is disconnected when it closes its side in the middle of a request', async () => {
    const socket = await open();
    socket.end('POST /api/v1/login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{');
    expect(await rest(socket)).to.match(/^HTTP\/1\.1 400 |^$/);
  });

  it('is disconnected when it is idle between two requests', async () => {
    const socket = await open();
    socket.write('GET /api/v1/ping HTTP/1.1\r\nHost: localhost\r\n\r\n');
    expect(await rest(socket)).to.match(/^HTTP\/1\.1 200 /);
  });

  it('is disconnected when it does not read a long list, which frees its connection for others', async () => {
    const one = await new HttpService({ limits: { ...limits, maxConnections: 1 } }).start();
    const description = 'x'.repeat(60_000);
    await one.core.store.transaction(trustedActor('test'), async (tables) => {
      await tables
        .of(Topic)
        .insert(Array.from({ length: 500 }, (_, n) => newRow(Topic, { name: `${n}`, description })));
    });
    const { hostname, port } = new URL(one.url);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    socket.write(
      `GET /api/v1/topics.json?limit=all HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${one.admin}\r\n\r\n`,
    );
    await once(socket, 'readable');
    await eventually('there is room again', async () =>
      one.request('/ping').then(
        ({ status }) => status === 200,
        () => false,
      ),
    );
    socket.resume();
    expect(await rest(socket)).not.to.match(/0\r\n\r\n$/);
    await one.stop();
  });

  it('leaves connections for the other clients of its address, and takes none from those of a proxy', async () => {
    const within = { maxConnections: 10, maxConnectionsPerAddress: 2 };
    const bounded = await new HttpService({ limits: within }).start();
    const proxied = await new HttpService({ limits: within, proxies: ['127.0.0.1'] }).start();
    for (const [own, closesFirst] of [
      [bounded, true],
      [proxied, false],
    ] as const) {
      const { hostname, port } = new URL(own.url);
      const held = [connect(Number(port), hostname), connect(Number(port), hostname)];
      for (const socket of held) {
        socket.on('error', () => undefined);
        await once(socket, 'connect');
      }
      expect((await own.request('/ping')).status).to.equal(200);
      if (closesFirst) expect(await rest(held[0] as Socket)).to.equal('');
      expect(held.map(({ closed }) => closed)).to.deep.equal([closesFirst, false]);
      for (const socket of held) socket.destroy();
      await own.stop();
    }
  });

  for (const [what, headers, status] of [
    ['one very long header', `X-Long: ${'x'.repeat(17_000)}\r\n`, 431],
    ['many long headers', Array.from({ length: 20 }, (_, n) => `X-${n}: ${'x'.repeat(1000)}\r\n`).join(''), 431],
    ['a target that is too long', '', 431],
  ] as const)
    it(`is refused with ${what}`, async () => {
      const socket = await open();
      const target = headers === '' ? `/${'x'.repeat(17_000)}` : '/api/v1/ping';
      socket.write(`GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${headers}\r\n`);
      expect(await rest(socket)).to.match(new RegExp(`^HTTP/1\\.1 ${status} `));
    });
});
