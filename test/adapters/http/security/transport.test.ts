import { expect } from 'chai';
import { adminPassword, basic, HttpService, type TestResponse } from '../../../support/http/http-service.ts';

describe('The HTTPS rule', () => {
  let service: HttpService;
  let proxied: HttpService;

  before(async () => {
    service = await new HttpService().start();
    proxied = await new HttpService({ proxies: ['127.0.0.0/8', '10.0.0.7'] }).start();
  });
  after(async () => {
    await service.stop();
    await proxied.stop();
  });

  for (const host of [
    'localhost',
    'LOCALHOST:8080',
    '127.0.0.1',
    '127.0.0.1:80',
    '[::1]',
    '[::1]:8080',
    'horarium.local',
  ])
    it(`accepts credentials over plain HTTP at ${host}`, async () => {
      expect((await service.requestAsAdmin('/apps.json', { headers: { host } })).status).to.equal(200);
    });

  for (const host of [
    'example.com',
    'localhost.example.com',
    'horarium.local.example.com',
    '127.0.0.2',
    'localhost.',
    'notlocalhost',
    '0.0.0.0',
    '[::2]',
    '10.0.0.1:8080',
  ])
    it(`rejects credentials over plain HTTP at ${host}`, async () => {
      const response = await service.requestAsAdmin('/apps.json', { headers: { host } });
      expect(response.status).to.equal(403);
      expect(response.json.code).to.equal('https_required');
    });

  for (const name of [
    'forwarded',
    'x-forwarded-for',
    'x-forwarded-proto',
    'x-forwarded-host',
    'x-forwarded-anything',
    'x-real-ip',
    'via',
  ])
    it(`rejects credentials at localhost with a ${name} header`, async () => {
      const response = await service.requestAsAdmin('/apps.json', { headers: { host: 'localhost', [name]: 'https' } });
      expect(response.status).to.equal(403);
    });

  it('rejects requests before it reads their credentials', async () => {
    const headers = { host: 'example.com', authorization: basic('root', adminPassword) };
    const before = service.core.passwordHasher.verifications;
    expect((await service.request('/apps.json', { headers })).status).to.equal(403);
    expect((await service.request('/nothing', { headers })).status).to.equal(403);
    expect((await service.request('/login.json', { headers })).status).to.equal(403);
    const body = { login: 'root', password: adminPassword };
    expect(
      (await service.request('/login.json', { method: 'POST', headers: { host: 'example.com' }, body })).status,
    ).to.equal(403);
    expect((await service.request('/ping.json?job=1&key=abc', { headers: { host: 'example.com' } })).status).to.equal(
      403,
    );
    expect(service.core.passwordHasher.verifications).to.equal(before);
  });

  it('exempts a bare ping, healthz and readyz', async () => {
    for (const path of ['/ping.json', '//healthz', '//readyz'])
      expect((await service.request(path, { headers: { host: 'example.com' } })).status, path).to.equal(200);
  });

  const through = (headers: Record<string, string>): Promise<TestResponse> =>
    proxied.requestAsAdmin('/apps.json', { headers: { host: 'example.com', ...headers } });

  it('believes the last X-Forwarded-Proto of a trusted proxy only', async () => {
    expect((await through({ 'x-forwarded-proto': 'https' })).status).to.equal(200);
    expect((await through({ 'x-forwarded-proto': 'http, https' })).status).to.equal(200);
    expect((await through({ 'x-forwarded-proto': 'https, http' })).status).to.equal(403);
    expect((await through({ 'x-forwarded-proto': 'http' })).status).to.equal(403);
    expect((await through({})).status).to.equal(403);
    const secure = await through({ 'x-forwarded-proto': 'https' });
    expect(secure.headers['strict-transport-security']).to.match(/max-age/);
  });

  it('rejects changes by a plain-HTTP page of the same host', async () => {
    const status = async (origin: string) => {
      const headers = { host: 'example.com', 'x-forwarded-proto': 'https', origin };
      return (await proxied.requestAsAdmin('/topic/', { method: 'POST', headers, body: { name: 'origin' } })).status;
    };
    expect(await status('https://example.com')).to.equal(201);
    expect(await status('http://example.com')).to.equal(403);
    expect(await status('https://example.com:8443')).to.equal(403);
  });

  it('takes the right-most hop that is not a trusted proxy as the client’s address', async () => {
    const seen = async (forwarded: string) => {
      const body = { name: `topic of ${forwarded}` };
      const headers = { host: 'example.com', 'x-forwarded-proto': 'https', 'x-forwarded-for': forwarded };
      const { json } = await proxied.requestAsAdmin('/topic/', { method: 'POST', headers, body });
      const { json: entries } = await proxied.requestAsAdmin(`/auditlog.json?entity_type=Topic&entity_id=${json.id}`, {
        headers,
      });
      return entries[0].ip;
    };
    expect(await seen('203.0.113.9')).to.equal('203.0.113.9');
    expect(await seen('198.51.100.1, 203.0.113.9')).to.equal('203.0.113.9');
    expect(await seen('198.51.100.1, 203.0.113.9, 10.0.0.7')).to.equal('203.0.113.9');
    expect(await seen('198.51.100.1, rubbish')).to.equal('127.0.0.1');
    expect(await seen('2001:db8::1')).to.equal('2001:db8::1');
    expect(await seen('198.51.100.1:4711, 203.0.113.9:4712, 10.0.0.7:80')).to.equal('203.0.113.9');
    expect(await seen('[2001:db8::1]:4711')).to.equal('2001:db8::1');
    expect(await seen('[2001:db8::1]')).to.equal('2001:db8::1');
    expect(await seen('198.51.100.1, [rubbish]:4711')).to.equal('127.0.0.1');
    expect(await seen('198.51.100.1, 999.0.0.1:4711')).to.equal('127.0.0.1');
  });

  it('ignores X-Forwarded-Proto of any other client', async () => {
    const headers = { host: 'example.com', 'x-forwarded-proto': 'https' };
    expect((await service.requestAsAdmin('/apps.json', { headers })).status).to.equal(403);
  });
});
