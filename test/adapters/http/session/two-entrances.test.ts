import { expect } from 'chai';
import { adminPassword, basic, HttpService } from '../../../support/http/http-service.ts';
import { Page } from '../../../support/http/page.ts';

describe('The paths of sessions', () => {
  let service: HttpService;
  let page: Page;

  before(async () => {
    service = await new HttpService({ sessions: true, corsOrigins: ['https://app.example.com'] }).start();
    page = await new Page(service).open();
  });
  after(() => service.stop());

  it('have nothing unless a plugin asks for sessions', async () => {
    const plain = await new HttpService().start();
    for (const [method, path] of [
      ['POST', '/console/api/session'],
      ['GET', '/console/api/session'],
      ['GET', '/console/api/apps.json'],
      ['GET', '/console/api/nothing'],
    ] as const)
      expect((await plain.request(`/${path}`, { method })).status, path).to.equal(404);
    await plain.stop();
  });

  it('ignore the Authorization header: a token is no session there', async () => {
    for (const authorization of [service.admin, basic('root', adminPassword), 'Bearer nothing', 'nonsense'])
      for (const path of ['/session', '/apps.json', '/status', '/nothing'])
        expect((await new Page(service, { authorization }).request(path)).status, path).to.equal(401);
    const proxied = await page.request('/session', { headers: { authorization: basic('proxy', 'of a company') } });
    expect([proxied.status, proxied.json.user.login]).to.deep.equal([200, 'root']);
  });

  it('take no token for a session, nor does the API take a session for a token', async () => {
    const token = service.admin.slice('Bearer '.length);
    const asCookie = new Page(service);
    asCookie.cookie = `horarium_session=${token}`;
    expect((await asCookie.request('/apps.json')).status).to.equal(401);
    const secret = page.cookie?.split('=')[1] as string;
    for (const authorization of [`Bearer ${secret}`, basic('root', secret)])
      expect((await service.request('/apps.json', { headers: { authorization } })).status).to.equal(401);
    expect(await page.status()).to.equal(200);
  });

  it('are the only ones where the cookie counts', async () => {
    const headers = { cookie: page.cookie as string, 'sec-fetch-site': 'same-origin' };
    for (const path of ['/apps.json', '/status', '//metrics', '/logout'])
      expect((await service.request(path, { headers, method: path === '/logout' ? 'POST' : 'GET' })).status).to.equal(
        401,
      );
  });

  it('challenge by no scheme for which a browser opens its dialog', async () => {
    const challenged = [
      await new Page(service).request('/session'),
      await new Page(service).request('/nothing'),
      await new Page(service).signIn('root', 'a wrong guess, surely'),
      await new Page(service, { authorization: 'Basic !' }).request('/apps.json'),
    ];
    for (const { status, headersDistinct } of challenged) {
      expect(status).to.equal(401);
      expect(headersDistinct['www-authenticate']).to.deep.equal(['Cookie realm="Horarium"']);
    }
  });

  it('have every route that needs authentication, and none of those that need none', async () => {
    const required = service.routes.filter(({ authentication, atRoot }) => authentication === 'required' && !atRoot);
    for (const { method, path } of required) {
      const filled = path.replace('{suffix}', 'json').replaceAll(/\{\w+\}/g, '999999');
      expect((await new Page(service).request(filled, { method })).status, `${method} ${path}`).to.equal(401);
    }
    for (const path of ['/login', '/login.json', '/ping', '/ping.json', '/healthz', '/docs'])
      expect((await page.request(path)).status, path).to.equal(404);
    expect((await page.request('/apps.json', { method: 'HEAD' })).status).to.equal(200);
    expect((await page.request('/apps.json', { method: 'PUT' })).status).to.equal(405);
  });

  it('are found however they are written, and lead nowhere else', async () => {
    const cookie = page.cookie as string;
    const status = async (path: string) => (await service.request(`/${path}`, { headers: { cookie } })).status;
    expect(await status('/%63onsole/api/apps.json')).to.equal(200);
    expect(await status('/console/api/apps.json/')).to.equal(200);
    expect(await status('/console/api/../../api/v1/apps.json')).to.equal(401);
    for (const path of ['/console/apiapps.json', '/console//api/apps.json', '/Console/api/apps.json'])
      expect(await status(path), path).to.equal(404);
  });

  it('are not described: neither the index nor the OpenAPI document has the routes of sessions', async () => {
    const index = (await service.requestAsAdmin('/index.json')).text;
    const document = (await service.requestAsAdmin('/openapi.json')).text;
    for (const text of [index, document]) expect(text).not.to.match(/\/session|console/);
  });

  it('give no CORS headers, not even to the origins of the setting', async () => {
    const origin = 'https://app.example.com';
    const asked = { origin, 'access-control-request-method': 'POST' };
    const preflight = await new Page(service).request('/topic/', { method: 'OPTIONS', headers: asked });
    expect(preflight.status).to.equal(401);
    const { headers } = await page.request('/topics.json', { headers: { origin } });
    for (const answer of [preflight.headers, headers])
      expect(Object.keys(answer).filter((name) => name.startsWith('access-control'))).to.deep.equal([]);
  });

  it('give out links and locations beneath themselves, so that a page can follow them', async () => {
    const [one] = [await page.post('/topic/', { name: 'one' }), await page.post('/topic/', { name: 'two' })];
    expect(one.headers['location']).to.equal(`/console/api/topic/${one.json.id}.json`);
    const list = await page.request('/topics.json?limit=1');
    const [, next] = /^<([^>]+)>; rel="next"/.exec(list.headers['link'] as string) ?? [];
    expect(next).to.match(/^\/console\/api\/topics\.json\?/);
    const second = await service.request(`/${next}`, { headers: { cookie: page.cookie as string } });
    expect([second.status, second.json[0].name]).to.deep.equal([200, 'one']);
    const html = await page.request(`/topic/${one.json.id}.html`);
    expect(html.text).to.include('/console/api/topics.html').and.not.to.include('/api/v1/');
    const missing = await page.request('/topic/999999.html');
    expect(missing.text).to.include('/console/api/topics.html').and.not.to.include('/api/v1/');
    const plain = await service.requestAsAdmin('/topics.json?limit=1');
    expect(plain.headers['link']).to.match(/^<\/api\/v1\/topics\.json\?/);
  });

  it('take credentials over HTTPS only, except on localhost', async () => {
    for (const headers of [{ host: 'example.com' }, { 'x-forwarded-for': '203.0.113.7' }]) {
      const remote = new Page(service, headers as Record<string, string>);
      const answers = [
        await remote.signIn(),
        await remote.request('/session'),
        await remote.request('/nothing'),
        await remote.request('/session', { headers: { cookie: page.cookie as string } }),
      ];
      for (const { status, json } of answers) expect([status, json.code]).to.deep.equal([403, 'https_required']);
    }
    expect(await page.status()).to.equal(200);
  });
});
