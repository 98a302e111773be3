import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { StaticAssets } from '@horarium/core';
import { expect } from 'chai';
import { assetFolder } from '../../../support/http/asset-folder.ts';
import { HttpService, type TestRequest } from '../../../support/http/http-service.ts';
import { browser, shopAssets, shopPage } from '../../../support/http/shop-assets.ts';

describe('The page of assets', () => {
  let service: HttpService;
  const get = (path: string, headers: TestRequest['headers'] = {}) => service.requestUndescribed(path, { headers });

  before(async () => {
    service = await new HttpService({ corsOrigins: ['https://shop.example'], assets: shopAssets() }).start();
  });
  after(() => service.stop());

  it('is at their own path, whatever is accepted', async () => {
    for (const accept of [undefined, '*/*', 'application/json', browser.accept]) {
      const { status, headers, text } = await get('/', accept === undefined ? {} : { accept });
      expect([status, headers['content-type'], text]).to.deep.equal([200, 'text/html; charset=utf-8', shopPage]);
      expect(headers.vary).to.equal('Origin, Accept, Accept-Encoding');
    }
  });

  it('is there for browsers at every path without an extension that is nothing else', async () => {
    for (const path of [
      '/tasks',
      '/tasks/',
      '/tasks/3/log?line=4',
      '/a.b/c',
      '/api',
      '/api/v2/apps',
      '/API/V1/apps',
      '/assets',
      '//',
    ]) {
      const { status, text } = await get(path, browser);
      expect([path, status, text]).to.deep.equal([path, 200, shopPage]);
      const head = await service.requestUndescribed(path, { method: 'HEAD', headers: browser });
      expect([path, head.status]).to.deep.equal([path, 200]);
    }
  });

  it('leaves the paths of views to problems for who does not ask for HTML', async () => {
    for (const accept of [undefined, '*/*', 'text/*', 'application/json', 'text/html;q=0, */*', 'text/htmlx']) {
      const { status, json } = await get('/tasks/3', accept === undefined ? {} : { accept });
      expect([accept, status, json.code]).to.deep.equal([accept, 404, 'not_found']);
    }
  });

  it('leaves unknown paths with an extension to problems, which say where the API is', async () => {
    for (const headers of [{}, browser]) {
      const { status, json } = await get('/apii/v1/app/1.json', headers);
      expect([status, json.detail]).to.deep.equal([
        404,
        'There is nothing at /apii/v1/app/1.json; the API is under /api/v1, and described at /docs.',
      ]);
      expect((await get('/assets/app-AAAAAAAA.js', headers)).status).to.equal(404);
    }
  });

  it('leaves the API, its documentation and every route as they are', async () => {
    expect((await get('/api/v1/nothing', browser)).status).to.equal(401);
    for (const [path, status] of [
      ['/api/v1/nothing', 404],
      ['/api/v1/index.json', 200],
      ['/api/v1/app/7', 404],
      ['/docs', 200],
      ['/docs/operate/nothing', 404],
      ['/healthz', 200],
      ['/metrics', 200],
    ] as const) {
      const response = await service.request(`/${path}`, {
        headers: { ...browser, authorization: service.admin },
      });
      expect([path, response.status, response.text === shopPage]).to.deep.equal([path, status, false]);
    }
    for (const address of ['', '/']) {
      const { status, headers } = await service.requestAsAdmin(address, { headers: browser });
      expect([status, headers.location]).to.deep.equal([302, '/api/v1/index.html']);
    }
  });

  it('is that of the longest path, beneath which views are not found where it has none', async () => {
    for (const path of ['/other', '/other/', '/other/view', '/other/notes.txt'])
      expect([path, (await get(path, browser)).status]).to.deep.equal([path, 404]);
    expect((await get('/others', browser)).text).to.equal(shopPage);
    expect((await get('/other/index.html')).text).to.equal('other');
  });

  it('leaves the root to the index where there is none', async () => {
    const own = await new HttpService().start();
    const { status, headers } = await own.request('//', { headers: browser });
    expect([status, headers.location]).to.deep.equal([302, '/api/v1/index.html']);
    expect((await own.request('//tasks', { headers: browser })).status).to.equal(404);
    await own.stop();
  });

  const served = async (publicUrl: string | null, at: string, path = at) => {
    const written = '<base href="/"><p>$& &amp;</p>';
    const files = { 'index.html': written, 'index.html.gz': gzipSync(written), 'other.html': written };
    const assets = [{ at, folder: assetFolder(files), page: 'index.html' }];
    const service = await new HttpService({ publicUrl, assets }).start();
    const { text, headers } = await service.requestUndescribed(path, { headers: { 'accept-encoding': 'gzip' } });
    await service.stop();
    return headers['content-encoding'] === 'gzip' ? 'as it is written, compressed' : text;
  };

  it('is served as it is written where clients see it at the root', async () => {
    expect(await served(null, '/')).to.equal('as it is written, compressed');
    expect(await served('https://jobs.example.com/', '/')).to.equal('as it is written, compressed');
  });

  it('has its base where clients see it', async () => {
    for (const [publicUrl, at, base] of [
      [null, '/board', '/board/'],
      ['https://jobs.example.com/horarium/', '/', '/horarium/'],
      ['https://jobs.example.com/a&b/"c"', '/x/board', '/a&amp;b/%22c%22/x/board/'],
    ] as const) {
      expect(await served(publicUrl, at)).to.equal(`<base href="${base}"><p>$& &amp;</p>`);
      expect(await served(publicUrl, at, `${at === '/' ? '' : at}/index.html`)).to.include(base);
    }
    expect(await served('https://jobs.example.com/horarium/', '/', '/other.html')).to.include('<base href="/">');
  });
});

describe('Assets that cannot be served', () => {
  const expectRefusal = (assets: StaticAssets, sentence: string | RegExp) =>
    expect(() => new HttpService({ assets: [assets] })).to.throw(sentence);

  it('are refused with the name of the plugin: a missing folder, a file in its place, a missing page', () => {
    const folder = assetFolder({ 'a.txt': 'a', '.page.html': '' });
    const reason = 'The plugin shop has a folder of assets that cannot be read: ';
    const missing = join(folder, 'missing');
    expectRefusal({ at: '/', folder: missing }, `${reason}ENOENT: no such file or directory, scandir '${missing}'.`);
    expectRefusal({ at: '/', folder: join(folder, 'a.txt') }, `${reason}ENOTDIR: not a directory`);
    for (const page of ['index.html', '.page.html', '../a.txt'])
      expectRefusal(
        { at: '/', folder, page },
        `The plugin shop has no page ${page} in its folder of assets ${folder}.`,
      );
  });

  it('are refused with the name of the plugin: more than may stay in memory, and a path of the API', () => {
    const folder = assetFolder({ 'a.bin': Buffer.alloc(17 * 1024 * 1024), 'b/c.bin': Buffer.alloc(16 * 1024 * 1024) });
    expectRefusal(
      { at: '/', folder },
      `The plugin shop has more than 32 MiB in its folder of assets ${folder}, which would stay in memory.`,
    );
    for (const at of ['/api/v1', '/api/v1/shop'])
      expectRefusal({ at, folder: assetFolder({}) }, `The plugin shop provides assets at ${at}, where the API is.`);
  });
});
