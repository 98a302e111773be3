import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { type OutboundError, outboundError } from '../../../plugins/outbound-http/outbound-error.ts';
import { OutboundHttp } from '../../../plugins/outbound-http/outbound-http.ts';
import type { Resolve } from '../../../plugins/outbound-http/resolve.ts';
import { type LoopbackServer, loopbackServer } from '../../support/http/loopback-server.ts';
import { rejectionOf } from '../../support/mocha/rejection-of.ts';
import { hasOpenssl, selfSignedCertificate } from '../../support/secrets/certificate.ts';

/** Answers by its path; what it does not know it answers with the request. */
const listener: RequestListener = async (request, response) => {
  if (request.url === '/redirect') return void response.writeHead(302, { location: '/elsewhere' }).end('moved');
  if (request.url === '/hangs') return;
  if (request.url === '/stops') return void response.writeHead(200).write('the beginning');
  if (request.url === '/breaks')
    return void response.writeHead(200, { 'content-length': '99' }).write('x', () => request.socket.destroy());
  if (request.url === '/endless') {
    response.on('close', () => response.destroy());
    const write = () => {
      while (!response.destroyed && response.write('y'.repeat(65_536)));
    };
    response.on('drain', write);
    return write();
  }
  const body = await text(request);
  const { method, url, headers } = request;
  response
    .writeHead(201, { 'x-twice': ['a', 'b'] })
    .end(JSON.stringify({ method, url, host: headers.host, type: headers['content-type'], body }));
};

describe('The outbound HTTP client', () => {
  let server: LoopbackServer;
  const allowing = new OutboundHttp({ allowedNetworks: ['127.0.0.1'] });

  before(async () => {
    server = await loopbackServer(listener);
  });
  after(() => server[Symbol.asyncDispose]());

  /** Resolves a name to the given addresses, one list a lookup; the last one stays. */
  function names(...answers: readonly (readonly string[])[]): Resolve {
    let lookups = 0;
    return async () => {
      const addresses = answers[Math.min(lookups++, answers.length - 1)] ?? [];
      return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    };
  }

  const failureOf = async (client: OutboundHttp, url: string, more = {}) =>
    (await rejectionOf(client.fetch({ url, timeout: 20_000, ...more }, 1000))) as OutboundError;

  it('sends a request, and returns the response', async () => {
    const headers = { 'content-type': 'text/plain' };
    const url = `${server.origin}/path?q=1`;
    const response = await allowing.fetch({ url, method: 'PUT', headers, body: 'häßlich' }, 1000);
    const { origin } = server;
    expect(JSON.parse(Buffer.from(response.body).toString())).to.deep.equal({
      method: 'PUT',
      url: '/path?q=1',
      host: origin.slice('http://'.length),
      type: 'text/plain',
      body: 'häßlich',
    });
    expect([response.status, response.cut, response.headers['x-twice']]).to.deep.equal([201, false, 'a, b']);
  });

  describe('makes no connection', () => {
    const literals = ['127.0.0.1', '127.1', '2130706433', '0x7f.1', '017700000001', '0', '[::ffff:127.0.0.1]', '[::1]'];
    for (const host of literals)
      it(`to http://${host}`, async () => {
        const before = server.connections();
        const { kind, message } = await failureOf(new OutboundHttp(), `http://${host}:${server.port}/`);
        expect([kind, message]).to.satisfy(() => kind === 'refused' && message.includes('belongs to this machine'));
        expect(server.connections()).to.equal(before);
      });

    it('to a name that resolves to a private address, which it does not name', async () => {
      const client = new OutboundHttp({ resolve: names(['127.0.0.1']) });
      const { kind, message } = await failureOf(client, `http://inner.example:${server.port}/`);
      expect(kind).to.equal('refused');
      expect(message)
        .to.match(/^inner\.example belongs to this machine or its network/)
        .and.not.to.contain('127');
    });

    it('to a name of which one address of several is private', async () => {
      const client = new OutboundHttp({ resolve: names(['93.184.216.34', '::1']) });
      expect((await failureOf(client, `http://both.example:${server.port}/`)).kind).to.equal('refused');
    });

    it('to localhost, as this machine resolves it', async () => {
      expect((await failureOf(new OutboundHttp(), `http://localhost:${server.port}/`)).kind).to.equal('refused');
    });

    it('to a name that has another address at the next request', async () => {
      await using other = await loopbackServer(listener, { address: '127.0.0.2', port: server.port });
      const client = new OutboundHttp({
        allowedNetworks: ['127.0.0.1'],
        resolve: names(['127.0.0.1'], ['127.0.0.2']),
      });
      const url = `http://rebound.example:${server.port}/`;
      expect((await client.fetch({ url }, 1000)).status).to.equal(201);
      expect((await failureOf(client, url)).kind).to.equal('refused');
      expect(other.connections()).to.equal(0);
    });

    for (const url of ['ftp://example.com/', 'example.com', '/path', 'http://user:word@example.com/', 'http://'])
      it(`for ${url}, which is no URL it can request`, async () => {
        const { kind, message } = await failureOf(allowing, url);
        expect([kind, message.includes('word')]).to.deep.equal(['invalid', false]);
      });

    it('for headers that would break out of their line', async () => {
      const { kind } = await failureOf(allowing, server.origin, { headers: { 'x-a': 'b\r\nx-c: d' } });
      expect(kind).to.equal('invalid');
    });
  });

  it('resolves a name once for the requests that wait for it, and again for the next', async () => {
    let lookups = 0;
    const open = Promise.withResolvers<void>();
    const resolve: Resolve = async () => {
      lookups += 1;
      await open.promise;
      return [{ address: '127.0.0.1', family: 4 }];
    };
    const client = new OutboundHttp({ allowedNetworks: ['127.0.0.1'], resolve });
    const request = { url: `http://many.example:${server.port}/` };
    const both = [client.fetch(request, 10), client.fetch(request, 10)];
    open.resolve();
    await Promise.all(both);
    expect(lookups).to.equal(1);
    await client.fetch(request, 10);
    expect(lookups).to.equal(2);
  });

  it('follows no redirect', async () => {
    const before = server.connections();
    const { status, headers } = await allowing.fetch({ url: `${server.origin}/redirect` }, 1000);
    expect([status, headers['location'], server.connections() - before]).to.deep.equal([302, '/elsewhere', 1]);
  });

  it('reads no more of a response than was asked for, and closes the connection', async () => {
    const { body, cut } = await allowing.fetch({ url: `${server.origin}/endless` }, 1000);
    expect([body.length, cut]).to.deep.equal([1000, true]);
    const exact = await allowing.fetch({ url: `${server.origin}/redirect` }, 5);
    expect([exact.body.length, exact.cut]).to.deep.equal([5, false]);
  });

  for (const path of ['/hangs', '/stops'])
    it(`gives up a server that ${path.slice(1)} when the time is over`, async () => {
      const { kind, message } = await failureOf(allowing, server.origin + path, { timeout: 100 });
      expect([kind, message]).to.deep.equal(['timeout', `127.0.0.1:${server.port} did not respond within 0.1 s`]);
    });

  it('gives up a name server that hangs when the time is over', async () => {
    const client = new OutboundHttp({ resolve: () => new Promise(() => undefined) });
    expect((await failureOf(client, 'http://hangs.example/', { timeout: 100 })).kind).to.equal('timeout');
  });

  it('ends at once when its signal is aborted', async () => {
    const stopping = new AbortController();
    const failure = failureOf(allowing, `${server.origin}/hangs`, { signal: stopping.signal });
    stopping.abort();
    expect((await failure).kind).to.equal('aborted');
    expect((await failureOf(allowing, server.origin, { signal: stopping.signal })).kind).to.equal('aborted');
  });

  it('names no address that a name has, whatever fails on the way to it', () => {
    const failed = (code: string) =>
      Object.assign(new Error(`connect ${code} 10.0.0.5:443`), { code, syscall: 'connect', address: '10.0.0.5' });
    for (const error of [failed('ENETDOWN'), failed('EACCES'), new AggregateError([failed('EADDRNOTAVAIL')])])
      expect(outboundError('inner.example', error).message).to.match(
        /^inner\.example: no connection to it is possible \(E[A-Z]+\)$/,
      );
    expect(outboundError('inner.example', failed('ECONNREFUSED')).message).to.contain('refuses the connection');
  });

  it('passes on an error of who receives the response', async () => {
    const sent = allowing.send({ url: server.origin }, async () => {
      throw new Error('The disk is full.');
    });
    expect((await rejectionOf(sent)).message).to.equal('The disk is full.');
  });

  describe('says in words', () => {
    const unknown = (code: string) => () => Promise.reject(Object.assign(new Error(`query ${code}`), { code }));

    it('that there is no such host', async () => {
      const { kind, message } = await failureOf(
        new OutboundHttp({ resolve: unknown('ENOTFOUND') }),
        'http://no.example/',
      );
      expect([kind, message]).to.deep.equal(['failed', 'no.example: there is no host of this name']);
    });

    it('that a name cannot be resolved at the moment', async () => {
      const { message } = await failureOf(new OutboundHttp({ resolve: unknown('EAI_AGAIN') }), 'http://no.example/');
      expect(message).to.equal('no.example: its name cannot be resolved at the moment');
    });

    it('that a name has no address', async () => {
      const { message } = await failureOf(new OutboundHttp({ resolve: names([]) }), 'http://no.example/');
      expect(message).to.equal('no.example has no address');
    });

    it('that a server refuses the connection', async () => {
      const closed = await loopbackServer(listener);
      await closed[Symbol.asyncDispose]();
      const { message } = await failureOf(allowing, `${closed.origin}/secret`);
      expect(message).to.equal(`127.0.0.1:${closed.port}: it refuses the connection`);
    });

    it('that a response breaks off', async () => {
      const { kind, message } = await failureOf(allowing, `${server.origin}/breaks`);
      expect([kind, message]).to.deep.equal([
        'failed',
        `127.0.0.1:${server.port}: it closed the connection before the end of its response`,
      ]);
    });

    it('that a response is not HTTP', async () => {
      const raw = createServer((socket) => socket.on('error', () => undefined).end('SSH-2.0-OpenSSH\r\n')).listen(
        0,
        '127.0.0.1',
      );
      await once(raw, 'listening');
      const { message } = await failureOf(allowing, `http://127.0.0.1:${(raw.address() as AddressInfo).port}/`);
      raw.close();
      expect(message).to.match(/: its response is not HTTP$/);
    });
  });

  describe('over TLS', () => {
    before(function () {
      if (!hasOpenssl()) this.skip();
    });

    it('trusts no certificate but those of the known authorities, and of those it is given', async () => {
      const tls = selfSignedCertificate('tls.example');
      await using secure = await loopbackServer(listener, { tls });
      const client = new OutboundHttp({ allowedNetworks: ['127.0.0.1'], resolve: names(['127.0.0.1']) });
      const url = `https://tls.example:${secure.port}/`;
      const { kind, message } = await failureOf(client, url);
      expect(kind).to.equal('failed');
      expect(message).to.match(/^tls\.example:\d+: its certificate is not trusted \(self.signed certificate\)$/);
      expect((await client.fetch({ url, trusted: tls.certificate }, 1000)).status).to.equal(201);
      const other = await failureOf(client, `https://other.example:${secure.port}/`, { trusted: tls.certificate });
      expect(other.message).to.match(/its certificate is not trusted \(Hostname\/IP does not match/);
    });

    it('says so when the server does not speak it', async () => {
      const { message } = await failureOf(allowing, `https://127.0.0.1:${server.port}/`);
      expect(message).to.match(/: it does not speak TLS as this machine does$/);
    });
  });
});
