import { expect } from 'chai';
import { adminPassword, HttpService, type ServiceOptions } from '../../../support/http/http-service.ts';
import { Page } from '../../../support/http/page.ts';

type Headers = Readonly<Record<string, string>>;

const evil = 'https://evil.example';

/** Each pair of headers that name the page in a browser, and whether the page is one of the service. */
const changes: readonly (readonly [name: string, isOwn: boolean, headers: (own: string) => Headers])[] = [
  ['a page of the service', true, (own) => ({ 'sec-fetch-site': 'same-origin', origin: own })],
  ['a page of the service, without Origin', true, () => ({ 'sec-fetch-site': 'same-origin' })],
  ['a page of the service in an older browser', true, (own) => ({ origin: own })],
  ['a page of another site', false, () => ({ 'sec-fetch-site': 'cross-site', origin: evil })],
  [
    'a page of another site that names the origin of the service',
    false,
    (own) => ({ 'sec-fetch-site': 'cross-site', origin: own }),
  ],
  ['a page of another site in an older browser', false, () => ({ origin: evil })],
  ['a page of a sibling of the site', false, (own) => ({ 'sec-fetch-site': 'same-site', origin: own })],
  ['the address bar', false, (own) => ({ 'sec-fetch-site': 'none', origin: own })],
  ['a page without an origin', false, () => ({ origin: 'null' })],
  ['another port', false, () => ({ origin: 'http://127.0.0.1:1' })],
  ['another scheme', false, (own) => ({ origin: own.replace('http:', 'https:') })],
  ['a listed origin of CORS', false, () => ({ origin: 'https://app.example.com' })],
  ['two sites', false, () => ({ 'sec-fetch-site': 'same-origin, cross-site' })],
  ['a program', false, () => ({})],
];

describe('A request of a session', () => {
  let service: HttpService;
  let page: Page;
  let topic: number;

  before(async () => {
    service = await start({ corsOrigins: ['https://app.example.com'] });
    page = await new Page(service).open();
    topic = (await page.post('/topic/', { name: 'mine' })).json.id;
  });
  after(() => service.stop());

  const start = (options: ServiceOptions = {}) => new HttpService({ sessions: true, ...options }).start();
  const request = (path: string, method: string, headers: Headers, body?: unknown) =>
    service.request(`//console/api${path}`, { method, headers: { cookie: page.cookie as string, ...headers }, body });

  for (const [name, isOwn, headersOf] of changes)
    it(`is ${isOwn ? 'carried out' : 'refused'} when ${name} sends a change`, async () => {
      const headers = headersOf(service.url);
      const saved = await request(`/topic/${topic}.json`, 'POST', headers, { description: name });
      expect(saved.status).to.equal(isOwn ? 200 : 403);
      if (!isOwn) expect(saved.json.detail).to.match(/^Only pages of this service may call \/console\/api;/);
      const removed = await request('/topic/999999.json', 'DELETE', headers);
      expect(removed.status).to.equal(isOwn ? 404 : 403);
    });

  for (const [name, isOwn, headersOf] of changes)
    it(`is ${isOwn ? 'accepted' : 'refused'} when ${name} sends a sign-in, whose cookie would act for another user`, async () => {
      const body = { login: 'root', password: adminPassword };
      const { status, headers } = await service.request('//console/api/session', {
        method: 'POST',
        headers: headersOf(service.url),
        body,
      });
      expect([status, 'set-cookie' in headers]).to.deep.equal(isOwn ? [200, true] : [403, false]);
    });

  it('may read from the address bar, and from no page of another origin', async () => {
    for (const [site, expected] of [
      ['none', 200],
      ['same-origin', 200],
      ['same-site', 403],
      ['cross-site', 403],
    ] as const)
      expect((await request('/topics.json', 'GET', { 'sec-fetch-site': site })).status, site).to.equal(expected);
    expect((await request('/topics.json', 'GET', {})).status).to.equal(200);
  });

  it('is refused before its body is read and its session is looked at', async () => {
    const count = service.core.signIns.length;
    const headers = { origin: evil, cookie: 'horarium_session=hors_unknown' };
    expect((await request('/topic/', 'POST', headers, 'x'.repeat(100_000))).status).to.equal(403);
    expect(service.core.signIns).to.have.length(count);
  });

  it('comes from the public URL where the service is behind a proxy that names another host', async () => {
    const proxied = await start({ publicUrl: 'https://jobs.example.com', proxies: ['127.0.0.1'] });
    const headers = { 'x-forwarded-proto': 'https', host: 'backend:8080' };
    const signIn = async (origin: string) =>
      (
        await proxied.request('//console/api/session', {
          method: 'POST',
          headers: { ...headers, origin },
          body: { login: 'root', password: adminPassword },
        })
      ).status;
    expect(await signIn('https://jobs.example.com')).to.equal(200);
    expect(await signIn('http://jobs.example.com')).to.equal(403);
    await proxied.stop();
  });
});
