import { expect } from 'chai';
import { EmbeddedApi } from '../../../support/http/embedded-api.ts';
import { adminPassword, HttpService } from '../../../support/http/http-service.ts';
import { Page, setCookieOf } from '../../../support/http/page.ts';

describe('The cookie of a session', () => {
  let service: HttpService;
  let page: Page;

  before(async () => {
    service = await new HttpService({ sessions: true, proxies: ['127.0.0.1'] }).start();
    page = await new Page(service).open();
  });
  after(() => service.stop());

  const statusWith = async (cookie: string | string[]) =>
    (await service.request('//console/api/session', { headers: { cookie } })).status;

  it('is found among others', async () => {
    expect(await statusWith(`a=1; ${page.cookie}; b="2"; c`)).to.equal(200);
    expect(await statusWith(`;;=; horarium_session_2=x;${page.cookie}`)).to.equal(200);
    expect(await statusWith(['a=1', page.cookie as string])).to.equal(200);
  });

  for (const [name, cookie] of [
    ['is empty', 'horarium_session='],
    ['has no value', 'horarium_session'],
    ['is garbage', 'horarium_session=%00%ff%; horarium'],
    ['is as long as a header may be', `horarium_session=hors_${'A'.repeat(12_000)}`],
    ['is one of a thousand', Array.from({ length: 1000 }, (_, count) => `${count}=`).join(';')],
    ['has the name of a member of each object', '__proto__=x; constructor=y; toString=z'],
    ['is in other letters', 'Horarium_Session=x'],
  ] as const)
    it(`signs no user in where it ${name}`, async () => {
      expect(await statusWith(cookie)).to.equal(401);
    });

  it('signs no user in where there are two, because another site of the domain may have set one', async () => {
    const { cookie } = page;
    for (const tossed of [
      `${cookie}; ${cookie}`,
      `horarium_session=x; ${cookie}`,
      [cookie as string, 'horarium_session='],
    ]) {
      const headers = { cookie: tossed, 'sec-fetch-site': 'same-origin' };
      const read = await service.request('//console/api/session', { headers });
      expect([read.status, read.json.detail]).to.deep.equal([
        401,
        'There are two session cookies, and only one can be yours; remove the cookies of this site, and sign in.',
      ]);
      const body = { login: 'root', password: adminPassword };
      const signIn = await service.request('//console/api/session', { method: 'POST', headers, body });
      expect([signIn.status, setCookieOf(signIn)]).to.deep.equal([401, undefined]);
    }
    expect(await page.status()).to.equal(200);
  });

  it('is secure over TLS, under a name that only TLS can set', async () => {
    const secure = new Page(service, { 'x-forwarded-proto': 'https', host: 'jobs.example.com' });
    const cookie = setCookieOf(await secure.signIn());
    expect(cookie).to.deep.include({ name: '__Secure-horarium_session', secure: true, httpOnly: true });
    expect(cookie).to.deep.include({ path: '/console/api/', sameSite: 'strict' });
    expect(await secure.status()).to.equal(200);
    const value = secure.cookie?.split('=')[1];
    secure.cookie = `horarium_session=${value}`;
    expect(await secure.status()).to.equal(401);
  });

  it('has the path that browsers know the service by', async () => {
    const publicUrl = 'https://tools.example.com/horarium/';
    const behind = await new HttpService({ sessions: true, publicUrl }).start();
    expect(setCookieOf(await new Page(behind).signIn())?.path).to.equal('/horarium/console/api/');
    await behind.stop();
  });

  it('has the path under which a program mounts the API in its own server', async () => {
    const api = await new EmbeddedApi({}, [{ name: 'pages', api: 1, sessions: true }]).start();
    const response = await api.request('/scheduler/console/api/session', {
      method: 'POST',
      headers: { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' },
      body: JSON.stringify({ login: 'root', password: adminPassword }),
    });
    expect(response.headers.get('set-cookie')).to.include('; Path=/scheduler/console/api/;');
    await api.stop();
  });
});
