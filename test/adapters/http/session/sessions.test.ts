import { Token, trustedActor } from '@horarium/core';
import { expect } from 'chai';
import { adminPassword, HttpService } from '../../../support/http/http-service.ts';
import { Page, setCookieOf } from '../../../support/http/page.ts';

const operator = trustedActor('root on host7', 'cli');
const password = 'correct horse stable';

describe('A session', () => {
  let service: HttpService;
  let eva: number;

  beforeEach(async () => {
    service = await new HttpService({ sessions: true }).start();
    eva = await service.core.addUser('eva', password, 'viewer');
  });
  afterEach(() => service.stop());

  const opened = async (headers: Record<string, string> = {}) => {
    const page = new Page(service, headers);
    expect((await page.signIn('eva', password)).status).to.equal(200);
    return page;
  };
  const tokensOfEva = () => service.core.tokens.list(operator, 'eva');

  it('begins with a login and a password, and says who has signed in, with what rights and for how long', async () => {
    const company = await service.requestAsAdmin('/company/', { method: 'POST', body: { code: 'acme', name: 'Acme' } });
    const member = { user_id: eva, role: 'operator' };
    await service.requestAsAdmin(`/company/${company.json.id}/user/`, { method: 'POST', body: member });
    const page = new Page(service);
    const { json, headers, text } = await page.signIn('eva', password);
    expect(json).to.have.all.keys('user', 'roles', 'memberships', 'expires_at');
    expect(json.user).to.include({ id: eva, login: 'eva' });
    expect(json).to.deep.include({
      roles: ['viewer'],
      memberships: [{ company_id: company.json.id, role: 'operator' }],
    });
    expect(Date.parse(json.expires_at)).to.be.closeTo(service.core.clock.now() + 12 * 3_600_000, 60_000);
    expect(headers['cache-control']).to.equal('no-store');
    expect(text).not.to.include(page.cookie?.split('=')[1]);
    const shown = await page.request('/session');
    expect([shown.status, shown.json.expires_at, shown.json.memberships]).to.deep.equal([
      200,
      json.expires_at,
      json.memberships,
    ]);
    expect((await page.request('/companies.json')).json).to.have.length(1);
  });

  it('is a cookie for its own paths that no script sees and no other site sends, until the session expires', async () => {
    const cookie = setCookieOf(await new Page(service).signIn());
    expect(cookie).to.deep.include({ name: 'horarium_session', path: '/console/api/', httpOnly: true });
    expect(cookie).to.deep.include({ sameSite: 'strict', maxAge: 12 * 3600 });
    expect(cookie).not.to.have.any.keys('domain', 'secure');
    expect(cookie?.value).to.match(/^hors_[A-Za-z0-9_-]{43}$/);
  });

  it('is stored as a hash only, and neither logs nor the audit log have its secret', async () => {
    const page = await opened();
    const secret = page.cookie?.split('=')[1] as string;
    await page.request('/topics.json');
    const where = [['kind', '=', 'session']] as const;
    const stored = await service.core.store.read((tables) => tables.of(Token).find({ where }));
    const entries = (await service.requestAsAdmin('/auditlog.json?entity_type=Token')).text;
    expect(stored[0]?.hash).to.equal(service.core.digests.sha256(secret));
    for (const text of [JSON.stringify(stored), entries, service.logLines.join('')])
      expect(text).not.to.include(secret);
  });

  it('begins for no wrong password, unknown login or disabled user, with one and the same answer', async () => {
    await service.core.changeUser(eva, { enabled: false });
    const answers = [];
    for (const [login, typed] of [
      ['root', 'a wrong guess, surely'],
      ['unknown', password],
      ['eva', password],
    ] as const) {
      const { status, json, headers } = await new Page(service).signIn(login, typed);
      expect([status, headers['set-cookie']]).to.deep.equal([401, undefined]);
      answers.push(json.detail);
    }
    expect(new Set(answers)).to.deep.equal(new Set(['Login or password is wrong.']));
  });

  it('ends with the sign-out, which removes the cookie, and takes no replay of the secret', async () => {
    const page = await opened();
    const { cookie } = page;
    const response = await page.request('/session', { method: 'DELETE' });
    expect(response.status).to.equal(204);
    expect(setCookieOf(response)).to.deep.include({ name: 'horarium_session', path: '/console/api/', maxAge: 0 });
    expect([page.cookie, await page.status()]).to.deep.equal([null, 401]);
    page.cookie = cookie;
    expect(await page.status()).to.equal(401);
    expect((await page.request('/session', { method: 'DELETE' })).status).to.equal(401);
  });

  it('ends alone: the others of its user go on', async () => {
    const [one, other] = [await opened(), await opened()];
    await one.request('/session', { method: 'DELETE' });
    expect(await other.status()).to.equal(200);
  });

  it('expires after the lifetime of login tokens, used or not', async () => {
    const page = await opened();
    service.core.clock.advance(12 * 3_600_000 - 60_000);
    expect(await page.status()).to.equal(200);
    service.core.clock.advance(60_001);
    expect(await page.status()).to.equal(401);
  });

  it('is replaced by another one when its page signs in again, also as another user', async () => {
    const page = await opened();
    const first = page.cookie;
    await page.signIn('eva', password);
    const second = page.cookie;
    await page.signIn('root', adminPassword);
    expect(new Set([first, second, page.cookie]).size).to.equal(3);
    expect(await page.status()).to.equal(200);
    for (const cookie of [first, second]) {
      page.cookie = cookie;
      expect(await page.status()).to.equal(401);
    }
  });

  it('goes on after a failed sign-in on its page', async () => {
    const page = await opened();
    expect((await page.signIn('eva', 'a wrong guess, surely')).status).to.equal(401);
    expect(await page.status()).to.equal(200);
  });

  it('never takes over a secret that was planted before the sign-in', async () => {
    const planted = `hors_${'A'.repeat(43)}`;
    const page = new Page(service);
    page.cookie = `horarium_session=${planted}`;
    expect((await page.signIn('eva', password)).status).to.equal(200);
    expect(page.cookie).not.to.include(planted);
    page.cookie = `horarium_session=${planted}`;
    expect(await page.status()).to.equal(401);
  });

  it('ends with the password, by whomever it is changed', async () => {
    const next = 'staple battery horse';
    const mine = await opened();
    const other = await opened();
    const change = await mine.post(`/user/${eva}.json`, { old_password: password, password: next });
    expect([change.status, await mine.status(), await other.status()]).to.deep.equal([200, 401, 401]);
    expect((await mine.signIn('eva', next)).status).to.equal(200);
    await service.requestAsAdmin(`/user/${eva}.json`, { method: 'POST', body: { password } });
    expect(await mine.status()).to.equal(401);
  });

  it('ends for good when its user is disabled', async () => {
    const page = await opened();
    const set = (enabled: boolean) =>
      service.requestAsAdmin(`/user/${eva}.json`, { method: 'POST', body: { enabled } });
    await set(false);
    expect(await page.status()).to.equal(401);
    await set(true);
    expect(await page.status()).to.equal(401);
    expect((await page.signIn('eva', password)).status).to.equal(200);
  });

  it('ends when its user is deleted', async () => {
    const page = await opened();
    expect((await service.requestAsAdmin(`/user/${eva}.json`, { method: 'DELETE' })).status).to.equal(204);
    expect(await page.status()).to.equal(401);
  });

  it('is among the tokens of its user, named by the browser, and ends when it is revoked there', async () => {
    const agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
    const [firefox, other] = [await opened({ 'user-agent': agent }), await opened()];
    const tokens = await tokensOfEva();
    expect(tokens.map(({ kind, name }) => [kind, name])).to.deep.equal([
      ['session', 'Firefox on Linux'],
      ['session', 'Browser'],
    ]);
    await service.core.tokens.revoke(operator, tokens[0]?.id as number);
    expect([await firefox.status(), await other.status()]).to.deep.equal([401, 200]);
  });

  it('has the rights that its user has at the time of the request', async () => {
    const page = await opened();
    const topic = () => page.post('/topic/', { name: 'a' });
    expect((await topic()).status).to.equal(403);
    await service.requestAsAdmin(`/user/${eva}/roles/`, { method: 'POST', body: { roles: ['editor'] } });
    expect((await topic()).status).to.equal(201);
    expect((await page.request('/session')).json.roles).to.include('editor');
  });

  it('is ended when its user has a hundred newer ones', async () => {
    const page = await opened();
    const signedIn = await service.core.signIn.withPassword('eva', password, operator);
    const issue = () => service.core.tokens.issueSession(signedIn, { name: 'Browser', replaced: null });
    for (let issued = 1; issued < 100; issued += 1) await issue();
    expect(await page.status()).to.equal(200);
    await issue();
    expect(await page.status()).to.equal(401);
    expect((await tokensOfEva()).length).to.equal(100);
  });

  it('counts its failed sign-ins with those of programs, and slows down both', async () => {
    const page = new Page(service);
    for (let guess = 0; guess < 3; guess++) await page.signIn('eva', `wrong ${guess}`);
    for (let guess = 0; guess < 3; guess++)
      await service.request('/login', { method: 'POST', body: { login: 'eva', password: `bad ${guess}` } });
    const refused = await page.signIn('eva', password);
    expect([refused.status, refused.headers['retry-after']]).to.deep.equal([429, '1']);
  });

  it('writes each sign-in and each refusal to the security log, as of the channel ui', async () => {
    const page = await opened();
    await page.signIn('eva', 'a wrong guess, surely');
    page.cookie = `horarium_session=hors_${'A'.repeat(43)}`;
    await page.request('/topics.json');
    expect(service.core.signIns.map(({ channel, userId, code }) => [channel, userId, code])).to.deep.equal([
      ['ui', eva, null],
      ['ui', eva, 'unauthenticated'],
      ['ui', null, 'unauthenticated'],
    ]);
  });

  it('refuses unknown fields, credentials in the query, and long bodies, as the login does', async () => {
    const page = new Page(service);
    const body = { login: 'eva', password };
    expect((await page.post('/session', { ...body, remember: true })).status).to.equal(422);
    expect((await page.post('/session', {})).status).to.equal(400);
    expect((await page.post('/session?login=eva', body)).status).to.equal(400);
    expect((await page.post('/session', { ...body, password: 'x'.repeat(17_000) })).status).to.equal(413);
    expect((await page.post('/session', { ...body, password: 'x'.repeat(1025) })).status).to.equal(422);
  });
});
