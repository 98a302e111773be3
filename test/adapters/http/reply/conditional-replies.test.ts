import { gunzipSync } from 'node:zlib';
import type { Route } from '@horarium/core';
import { expect } from 'chai';
import { HttpService } from '../../../support/http/http-service.ts';
import { permissiveRouteShape } from '../../../support/http/permissive-route-shape.ts';

describe('A conditional reply', () => {
  let service: HttpService;
  let menu = ['soup'];

  const route: Route = {
    method: 'GET',
    path: '/menu.{suffix}',
    summary: 'Show the menu',
    authentication: 'required',
    shape: permissiveRouteShape('getMenu'),
    handle: async () => ({ value: { menu }, conditional: true }),
  };

  before(async () => {
    service = await new HttpService({ extraRoutes: [route] }).start();
  });
  after(() => service.stop());

  const get = (headers: Record<string, string> = {}, method = 'GET') =>
    service.requestUndescribed('/api/v1/menu.json', { method, headers: { authorization: service.admin, ...headers } });

  it('has a strong tag of its bytes, with which a client that has them gets nothing again', async () => {
    const first = await get();
    const tag = first.headers['etag'] as string;
    expect(tag).to.match(/^"[\w-]{43}"$/);
    expect(first.headers).to.include({ 'cache-control': 'private, no-cache', vary: 'Accept-Encoding' });
    const again = await get({ 'if-none-match': `"other", W/${tag}` });
    expect([again.status, again.text, again.headers['etag']]).to.deep.equal([304, '', tag]);
    expect(again.headers).not.to.have.property('content-type');
    menu = ['soup', 'fish'];
    const changed = await get({ 'if-none-match': tag });
    expect([changed.status, changed.json]).to.deep.equal([200, { menu }]);
    expect(changed.headers['etag']).not.to.equal(tag);
  });

  it('is compressed for clients that take gzip, under a tag of its own', async () => {
    const plain = await get({ 'accept-encoding': 'br, gzip;q=0' });
    expect(plain.headers).not.to.have.property('content-encoding');
    const compressed = await get({ 'accept-encoding': 'br, gzip' });
    expect(compressed.headers).to.include({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
    expect(gunzipSync(compressed.bytes).toString()).to.equal(plain.text);
    const [tag, plainTag] = [compressed.headers['etag'] as string, plain.headers['etag'] as string];
    expect(tag).to.equal(`${plainTag.slice(0, -1)}-gzip"`);
    expect((await get({ 'accept-encoding': 'gzip', 'if-none-match': tag })).status).to.equal(304);
    expect((await get({ 'accept-encoding': 'gzip', 'if-none-match': plainTag })).status).to.equal(200);
  });

  it('has the same headers for HEAD, and no body', async () => {
    const { headers } = await get();
    const head = await get({}, 'HEAD');
    expect([head.status, head.text, head.headers['etag']]).to.deep.equal([200, '', headers['etag']]);
  });

  it('is no answer to those who have not signed in', async () => {
    const { headers } = await get();
    const tag = headers['etag'] as string;
    const response = await service.requestUndescribed('/api/v1/menu.json', { headers: { 'if-none-match': tag } });
    expect(response.status).to.equal(401);
  });
});
