import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { securityHeaders } from '../../../../adapters/http/security/security-headers.ts';
import { exchangeBytes } from '../../../support/http/hostile-requests.ts';
import { HttpService, type TestRequest } from '../../../support/http/http-service.ts';
import {
  browser,
  hashedPath,
  shopAssets,
  shopPage,
  shopPolicy,
  shopScript,
  unserved,
} from '../../../support/http/shop-assets.ts';

describe('The assets of plugins', () => {
  let service: HttpService;
  const get = (path: string, headers: TestRequest['headers'] = {}) => service.requestUndescribed(path, { headers });

  before(async () => {
    service = await new HttpService({ corsOrigins: ['https://shop.example'], assets: shopAssets() }).start();
  });
  after(() => service.stop());

  describe('as files', () => {
    for (const [path, type, content] of [
      ['/index.html', 'text/html; charset=utf-8', shopPage],
      [hashedPath, 'text/javascript; charset=utf-8', shopScript],
      ['/assets/app-4OXWDRYX.js.map', 'application/json', '{}'],
      ['/assets/half.css', 'text/css; charset=utf-8', 'a { color: red }'],
      ['/logo.svg', 'image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
      ['/favicon.ico', 'image/vnd.microsoft.icon', 'icon'],
      ['/app.wasm', 'application/wasm', 'wasm'],
      ['/site.webmanifest', 'application/manifest+json', '{}'],
      ['/notes.txt', 'text/plain; charset=utf-8', 'notes'],
      ['/unknown.zzz', 'application/octet-stream', 'bytes'],
      ['/empty.txt', 'text/plain; charset=utf-8', ''],
      ['/deep/er/est.txt', 'text/plain; charset=utf-8', 'deep'],
      ['/a%20b/%C3%BC%26+.txt', 'text/plain; charset=utf-8', 'a name with much to escape'],
      [
        '/a b/ü&%2b.txt'.replaceAll(' ', '%20').replace('ü', '%c3%bc'),
        'text/plain; charset=utf-8',
        'a name with much to escape',
      ],
      ['/%6eotes.txt?version=2', 'text/plain; charset=utf-8', 'notes'],
      ['/other/only.txt', 'text/plain; charset=utf-8', 'only here'],
    ] as const)
      it(`are ${type} at ${path}`, async () => {
        const { status, headers, text } = await get(path);
        expect([status, headers['content-type'], text]).to.deep.equal([200, type, content]);
        expect(headers['content-length']).to.equal(String(Buffer.byteLength(content)));
      });

    it('have the security headers of every response, and the policy of their plugin', async () => {
      const { headers } = await get(hashedPath);
      const { 'Cache-Control': _, ...others } = securityHeaders;
      for (const [name, value] of Object.entries({ ...others, 'Content-Security-Policy': shopPolicy }))
        expect([name, headers[name.toLowerCase()]]).to.deep.equal([name, value]);
      expect(headers['x-request-id']).to.be.a('string');
      const { headers: ofOther } = await get('/other/only.txt');
      expect(ofOther['content-security-policy']).to.equal(securityHeaders['Content-Security-Policy']);
    });

    it('may be kept for ever where their name holds a hash, and are asked for again otherwise', async () => {
      for (const path of [hashedPath, `${hashedPath}.map`])
        expect((await get(path)).headers['cache-control']).to.equal('public, max-age=31536000, immutable');
      for (const path of ['/', '/index.html', '/assets/half.css', '/a%20view'])
        expect((await get(path, browser)).headers['cache-control']).to.equal('no-cache');
    });

    it('have a tag each, and are not sent again to a client that has them', async () => {
      const tags = new Set<string>();
      for (const encoding of ['identity', 'gzip', 'br']) {
        const sent = await get(hashedPath, { 'accept-encoding': encoding });
        const tag = sent.headers.etag as string;
        expect(tag).to.match(/^"[\w-]{43}"$/);
        tags.add(tag);
        for (const known of [tag, `W/${tag}`, `"no", ${tag}`, '*']) {
          const again = await get(hashedPath, { 'accept-encoding': encoding, 'if-none-match': known });
          expect([known, again.status, again.text, again.headers.etag]).to.deep.equal([known, 304, '', tag]);
          expect(again.headers).to.include({ vary: 'Origin, Accept-Encoding', 'content-security-policy': shopPolicy });
          expect(again.headers['cache-control']).to.equal(sent.headers['cache-control']);
        }
        const other = await get(hashedPath, { 'accept-encoding': encoding, 'if-none-match': '"another"' });
        expect(other.status).to.equal(200);
      }
      expect(tags.size).to.equal(3);
      expect((await get('/index.html')).headers.etag).not.to.be.oneOf([...tags]);
    });

    it('have no parts: a range is answered with the whole', async () => {
      const { status, text, headers } = await get(hashedPath, { range: 'bytes=0-3' });
      expect([status, text, headers['content-range']]).to.deep.equal([200, shopScript, undefined]);
    });

    it('are answered to HEAD without their content', async () => {
      for (const path of ['/', hashedPath]) {
        const sent = await get(path);
        const { status, text, headers } = await service.requestUndescribed(path, { method: 'HEAD' });
        expect([status, text]).to.deep.equal([200, '']);
        for (const name of ['content-length', 'content-type', 'etag', 'cache-control', 'vary'])
          expect([name, headers[name]]).to.deep.equal([name, sent.headers[name]]);
      }
    });

    it('are there for everyone, whatever credentials are sent', async () => {
      for (const authorization of ['Bearer wrong', 'Basic !', service.admin])
        expect((await get(hashedPath, { authorization })).status).to.equal(200);
    });
  });

  describe('with encodings beside them', () => {
    const decode = { br: brotliDecompressSync, gzip: gunzipSync } as const;

    for (const [accepted, encoding] of [
      [undefined, undefined],
      ['', undefined],
      ['identity', undefined],
      ['br', 'br'],
      ['gzip', 'gzip'],
      ['GZIP', 'gzip'],
      ['gzip, deflate, br, zstd', 'br'],
      ['br;q=0.5, gzip;q=0.8', 'gzip'],
      ['br;q=0, gzip', 'gzip'],
      ['br;q=0, gzip;q=0', undefined],
      ['br;q=0.2, identity', undefined],
      ['*', 'br'],
      ['*;q=0', undefined],
      ['br;q=0, *', 'gzip'],
      ['identity;q=0, gzip;q=0.001', 'gzip'],
      ['identity;q=0, zstd', undefined],
      [['gzip', 'br'], 'br'],
      ['q=1;;,=,br;q=x', undefined],
    ] as const)
      it(`are sent as ${encoding ?? 'they are'} to Accept-Encoding: ${accepted ?? 'none'}`, async () => {
        const { headers, bytes } = await get(
          hashedPath,
          accepted === undefined ? {} : { 'accept-encoding': [...[accepted].flat()] },
        );
        expect(headers['content-encoding']).to.equal(encoding);
        expect(headers['content-type']).to.equal('text/javascript; charset=utf-8');
        expect(headers.vary).to.equal('Origin, Accept-Encoding');
        const decoded = encoding ? decode[encoding](bytes) : bytes;
        expect(decoded.toString()).to.equal(shopScript);
      });

    it('are sent in the encoding that is there', async () => {
      const { headers } = await get('/assets/half.css', { 'accept-encoding': 'br;q=1, gzip;q=0.1' });
      expect(headers['content-encoding']).to.equal('gzip');
      const plain = await get('/notes.txt', { 'accept-encoding': 'br, gzip' });
      expect([plain.headers['content-encoding'], plain.text]).to.deep.equal([undefined, 'notes']);
    });

    it('do not have them under names of their own, which other compressed files have', async () => {
      for (const path of [`${hashedPath}.br`, `${hashedPath}.gz`, '/assets/half.css.gz'])
        expect([path, (await get(path, browser)).status]).to.deep.equal([path, 404]);
      const { status, headers, bytes } = await get('/alone.gz', { 'accept-encoding': 'gzip' });
      expect([status, headers['content-type'], headers['content-encoding']]).to.deep.equal([
        200,
        'application/gzip',
        undefined,
      ]);
      expect(gunzipSync(bytes).toString()).to.equal('alone');
    });
  });

  it('refuse other methods, and say which there are', async () => {
    for (const path of ['/', hashedPath, '/notes.txt'])
      for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
        const { status, headers, json } = await service.requestUndescribed(path, { method, headers: browser });
        expect([path, status, headers['allow']]).to.deep.equal([path, 405, 'GET, HEAD']);
        expect(json.detail).to.equal(`${method} is not possible at ${path}, only GET, HEAD.`);
      }
    const options = await service.requestUndescribed(hashedPath, { method: 'OPTIONS' });
    expect([options.status, options.headers['allow']]).to.deep.equal([204, 'GET, HEAD']);
    expect((await service.requestUndescribed('/tasks', { method: 'POST', headers: browser })).status).to.equal(404);
    expect(
      (await service.requestUndescribed(`${hashedPath}.br`, { method: 'DELETE', headers: browser })).status,
    ).to.equal(404);
  });

  for (const path of [
    '/.env',
    '/.git/config',
    '/deep/.hidden.txt',
    '/%2eenv',
    '/link.txt',
    '/linked/secret.txt',
    '/root/etc/passwd',
    '/../secret.txt',
    '/..%2fsecret.txt',
    '/..%2Fsecret.txt',
    '/%2e%2e/secret.txt',
    '/%2e%2e%2fsecret.txt',
    '/..%5csecret.txt',
    '/..\\secret.txt',
    '/%252e%252e%252fsecret.txt',
    '/assets/../../../../../../etc/passwd',
    '/assets%2f..%2f..%2f..%2f..%2fetc%2fpasswd',
    '//etc/passwd',
    '/%2fetc%2fpasswd',
    '/deep%2fer%2fest.txt',
    '/deep%5cer%5cest.txt',
    '/notes.txt%00',
    '/%00/notes.txt',
    '/notes.txt%00.html',
    '/notes.txt/',
    '/notes.txt/.',
    '/%E0%A4%A.txt',
    '/%.txt',
    '/__proto__.js',
    '/constructor',
  ])
    it(`serve nothing at ${path}`, async () => {
      const received = await exchangeBytes(
        service.url,
        `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
        () => false,
      );
      expect(received).to.match(/^HTTP\/1\.1 404 /);
      expect(received).not.to.include(unserved).and.not.include('root:');
    });

  it('have one label in the metrics, and their paths in the log', async () => {
    await get('/assets/half.css');
    await get('/some/view', browser);
    const { text } = await service.requestAsAdmin('//metrics');
    const routes = [...text.matchAll(/^horarium_http_\w+_count\{.*route="([^"]*)"/gm)].map(
      ([, route]) => route as string,
    );
    expect(routes).to.include('assets');
    expect(routes.filter((route) => /css|view|index\.html/.test(route))).to.deep.equal([]);
    expect(service.logLines.join('')).to.include('"path":"/assets/half.css","status":200');
  });
});
