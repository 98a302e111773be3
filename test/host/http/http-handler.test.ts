import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createSecureServer, get } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { definePlugin, type Route } from '@horarium/core/plugin';
import { expect } from 'chai';
import express from 'express';
import { httpHandler } from '../../../host/http/index.ts';
import formatHtml from '../../../plugins/format-html/plugin.ts';
import formatJson from '../../../plugins/format-json/plugin.ts';
import { assetFolder } from '../../support/http/asset-folder.ts';
import { fetchAsset } from '../../support/http/checked-fetch.ts';
import { EmbeddedApi } from '../../support/http/embedded-api.ts';
import { embeddingServers, listen } from '../../support/http/embedding-servers.ts';
import { exchangeBytes, hostileRequests, invalidHosts, validHosts } from '../../support/http/hostile-requests.ts';
import { permissiveRouteShape } from '../../support/http/permissive-route-shape.ts';
import { hasOpenssl, selfSignedCertificate } from '../../support/secrets/certificate.ts';

describe('httpHandler', () => {
  let api: EmbeddedApi;
  afterEach(() => api.stop());

  for (const [server, open] of Object.entries(embeddingServers))
    describe(`under ${server}`, () => {
      beforeEach(async () => {
        api = await new EmbeddedApi().start(open);
      });

      it('creates, reads and deletes records under its path', async () => {
        const created = await api.post('/scheduler/api/v1/company/', { code: 'acme', name: 'Acme' });
        expect(created.status).to.equal(201);
        expect(created.headers.get('location')).to.equal('/scheduler/api/v1/company/1.json');
        const path = '/scheduler/api/v1/company/1.json';
        expect(await (await api.request(path)).json()).to.include({ id: 1, code: 'acme' });
        const head = await api.request(path, { method: 'HEAD' });
        expect([head.status, await head.text()]).to.deep.equal([200, '']);
        expect((await api.request(path, { method: 'DELETE' })).status).to.equal(204);
        expect((await api.request(path)).status).to.equal(404);
      });

      it('links pages, documentation and redirects to where they are mounted', async () => {
        const page = await (await api.request('/scheduler/api/v1/companies.html')).text();
        const targets = [...page.matchAll(/(?:href|action)="(\/[^"]*)"/g)].map(([, target]) => target as string);
        expect(targets).to.include.members(['/scheduler/docs', '/scheduler/api/v1/jobs.html']);
        expect(targets.filter((target) => !target.startsWith('/scheduler/'))).to.deep.equal([]);
        for (const root of ['/scheduler', '/scheduler/', '/scheduler/api/v1']) {
          const { status, headers } = await api.request(root, { headers: { accept: 'text/html' } });
          expect([status, headers.get('location')]).to.deep.equal([302, '/scheduler/api/v1/index.html']);
        }
        const { servers } = (await (await api.request('/scheduler/api/v1/openapi.json')).json()) as { servers: object };
        expect(servers).to.deep.equal([{ url: '/scheduler/api/v1' }]);
        expect(await (await api.request('/scheduler/docs/api')).text()).to.include(`${api.url}/scheduler/api/v1`);
      });

      it('answers unknown paths, other methods and missing credentials with problems', async () => {
        const missing = await api.request('/scheduler/api/v1/nothing');
        expect([missing.status, ((await missing.json()) as { code: string }).code]).to.deep.equal([404, 'not_found']);
        const put = await api.request('/scheduler/api/v1/apps.json', { method: 'PUT' });
        expect([put.status, put.headers.get('allow')]).to.deep.equal([405, 'GET, HEAD']);
        const options = await api.request('/scheduler/api/v1/apps.json', { method: 'OPTIONS' });
        expect([options.status, options.headers.get('allow')]).to.deep.equal([204, 'GET, HEAD']);
        const anonymous = await api.request('/scheduler/api/v1/apps.json', { headers: { authorization: '' } });
        expect(anonymous.status).to.equal(401);
      });

      it('serves the assets of plugins under its path, with the base of their page', async () => {
        const folder = assetFolder({ 'index.html': '<base href="/">', 'app.js': 'let app;' });
        const plugin = definePlugin({ name: 'shop', api: 1, assets: [{ at: '/', folder, page: 'index.html' }] });
        await api.stop();
        api = await new EmbeddedApi({}, [plugin]).start(open);
        for (const path of ['/scheduler', '/scheduler/', '/scheduler/any/view']) {
          const page = await fetchAsset(`${api.url}${path}`);
          expect([page.status, await page.text()]).to.deep.equal([200, '<base href="/scheduler/">']);
        }
        expect(await (await fetchAsset(`${api.url}/scheduler/app.js`)).text()).to.equal('let app;');
        const outside = await fetchAsset(`${api.url}/app.js`);
        expect(await outside.text()).not.to.equal('let app;');
        expect((await api.request('/scheduler/api/v1')).headers.get('location')).to.equal(
          '/scheduler/api/v1/index.json',
        );
      });

      it('leaves paths outside its own to the server', async () => {
        expect(await (await api.request('/shop')).text()).to.equal('the shop');
      });

      it('answers the next request on a connection after a body that it refused to read', async () => {
        const body = 'x'.repeat(2_000_000);
        const refused = `POST /scheduler/api/v1/topic HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${api.admin}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
        const next = 'GET /scheduler/api/v1/ping HTTP/1.1\r\nHost: localhost\r\n\r\n';
        const received = await exchangeBytes(api.url, refused + next, (soFar) => soFar.includes('"pong":true'));
        expect(received)
          .to.match(/^HTTP\/1\.1 413 /)
          .and.include('HTTP/1.1 200 OK');
      });
    });

  it('serves the API at the root of a server where it has no path, and answers every request without next', async () => {
    api = new EmbeddedApi({ path: '' });
    await api.start((handler) => listen(createServer((request, response) => handler(request, response))));
    expect((await api.request('/api/v1/ping.json')).status).to.equal(200);
    expect((await api.request('/shop')).status).to.equal(404);
  });

  it('names and links the documentation only where a plugin provides it', async () => {
    api = await new EmbeddedApi({ path: '', plugins: [formatHtml] }).start();
    const { detail } = (await (await api.request('/apps.json')).json()) as { detail: string };
    expect(detail).to.equal('There is nothing at /apps.json; the API is under /api/v1.');
    const page = await (await api.request('/api/v1/companies.html')).text();
    expect(page).to.include('href="/api/v1/jobs.html"').and.not.include('docs');
  });

  it('answers a path outside its own with 404 where no next is given', async () => {
    api = await new EmbeddedApi().start((handler) =>
      listen(createServer((request, response) => handler(request, response))),
    );
    for (const path of ['/api/v1/ping', '/schedulers/api/v1/ping', '/scheduler/healthz/no'])
      expect([path, (await api.request(path)).status]).to.deep.equal([path, 404]);
  });

  for (const [what, bytes] of hostileRequests)
    it(`survives ${what}`, async () => {
      api = await new EmbeddedApi({ path: '' }).start();
      const received = await exchangeBytes(api.url, bytes, () => false);
      expect(received)
        .to.match(/^HTTP\/1\.1 [2-5]\d\d /)
        .and.not.match(/^HTTP\/1\.1 500/);
      expect((await api.request('/api/v1/ping')).status).to.equal(200);
    });

  it('refuses a request of the API whose Host is not valid, and leaves those of the application to it', async () => {
    api = new EmbeddedApi();
    await api.start((handler) =>
      listen(createServer((request, response) => handler(request, response, () => response.end()))),
    );
    const statusOf = async (path: string, host: string) => {
      const request = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
      return (await exchangeBytes(api.url, request, () => false)).slice(9, 12);
    };
    for (const host of invalidHosts) {
      expect(await statusOf('/scheduler/api/v1/ping', host), host).to.equal('400');
      expect(await statusOf('/shop', host), host).to.equal('200');
    }
    for (const host of validHosts) expect(await statusOf('/scheduler/api/v1/ping', host), host).to.equal('200');
  });

  it('gives out its public URL instead of its path where one is set', async () => {
    api = await new EmbeddedApi({ publicUrl: 'https://shop.example/jobs/' }).start();
    const { headers } = await api.post('/scheduler/api/v1/company/', { code: 'acme', name: 'Acme' });
    expect(headers.get('location')).to.equal('https://shop.example/jobs/api/v1/company/1.json');
  });

  it('knows that a server speaks TLS', async function () {
    if (!hasOpenssl()) this.skip();
    const { certificate: cert, key } = selfSignedCertificate('localhost');
    api = new EmbeddedApi();
    const handler = httpHandler(api.options);
    const server = createSecureServer({ cert, key }, handler);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const [response] = await once(
      get({ port, path: '/scheduler/docs/api', host: '127.0.0.1', rejectUnauthorized: false, agent: false }),
      'response',
    );
    expect(response.headers['strict-transport-security']).to.be.a('string');
    expect(await text(response)).to.include(`https://127.0.0.1:${port}/scheduler/api/v1`);
    await new Promise((resolve) => server.close(resolve));
  });

  it('fails and logs why where a body parser has read the body before', async () => {
    api = await new EmbeddedApi().start((handler) => {
      const app = express().disable('x-powered-by').use(express.json());
      return listen(createServer(app.use('/scheduler', handler)));
    });
    expect((await api.post('/scheduler/api/v1/company/', { code: 'acme', name: 'Acme' })).status).to.equal(500);
    const [{ details } = { details: {} }] = api.logged;
    expect((details as { err: Error }).err.message).to.equal(
      'The body was read before the request reached the API: mount the API before any body parser.',
    );
  });

  it('serves routes of plugins, and ends their streams when its signal aborts', async () => {
    const closing = new AbortController();
    const { promise: streamed, resolve: stream } = Promise.withResolvers<void>();
    const endless: Route = {
      method: 'GET',
      path: '/endless.{suffix}',
      summary: 'Stream until the server closes',
      authentication: 'required',
      shape: permissiveRouteShape('streamForTest'),
      handle: async ({ request: { signal }, core }) => {
        async function* pieces() {
          yield 'piece\n';
          stream();
          await core.clock.sleep(60_000, signal);
          yield 'ended\n';
        }
        return { stream: { mime: 'text/plain', pieces: pieces() } };
      },
    };
    const plugin = definePlugin({ name: 'endless', api: 1, routes: () => [endless] });
    api = await new EmbeddedApi({ signal: closing.signal }, [plugin, formatJson]).start();
    const request = `GET /scheduler/api/v1/endless HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${api.admin}\r\n\r\n`;
    const received = exchangeBytes(api.url, request, (soFar) => soFar.includes('ended\n'));
    await streamed;
    closing.abort();
    expect(await received).to.match(/piece\n[\s\S]*ended\n/);
  });

  it('rejects a path without a slash and a proxy that is not an address', () => {
    const { core } = api;
    expect(() => httpHandler({ core, path: 'scheduler' })).to.throw(
      'The path of the API must begin with a slash, and "scheduler" does not.',
    );
    expect(() => httpHandler({ core, trustedProxies: ['no'] })).to.throw(/trusted proxy "no"/);
  });
});
