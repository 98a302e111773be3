import { Token, trustedActor } from '@horarium/core';
import { expect } from 'chai';
import { consoleRoutes } from '../../../plugins/console/server/routes.ts';
import { basic, HttpService } from '../../support/http/http-service.ts';
import { Page } from '../../support/http/page.ts';

const password = 'correct horse stable';
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const operator = trustedActor('root on host7', 'cli');

describe('The sessions and tokens of a user', () => {
  let service: HttpService;
  let page: Page;

  beforeEach(async () => {
    service = await new HttpService({ sessions: true, extraRoutes: consoleRoutes }).start();
    service.core.clock.stop();
    await service.core.addUser('eva', password, 'viewer');
    page = new Page(service, { 'user-agent': firefox });
    await page.signIn('eva', password);
  });
  afterEach(() => service.stop());

  const later = () => service.core.clock.advance(60_000);
  const list = async (of = page) => (await of.request('/console/tokens')).json;
  const remove = (id: unknown, of = page) => of.request(`/console/token/${id}`, { method: 'DELETE' });

  it('are listed with what tells them apart, the ones that were used last first, and without their secrets', async () => {
    later();
    const { id, secret } = await service.core.createToken('eva', 86_400_000);
    const response = await page.request('/console/tokens');
    const [token, session] = response.json;
    expect(response.json).to.have.length(2);
    expect(token).to.include({ id, kind: 'cli', name: null, last_used_at: null, current: false });
    expect(Date.parse(token.expires_at) - Date.parse(token.created_at)).to.equal(86_400_000);
    expect(session).to.include({ kind: 'session', name: 'Firefox on Linux', current: true });
    expect(session).to.have.all.keys('id', 'kind', 'name', 'created_at', 'last_used_at', 'expires_at', 'current');
    expect(response.text).not.to.include(secret).and.not.to.include(service.core.digests.sha256(secret));
    expect(response.text).not.to.include(page.cookie?.split('=')[1]);
  });

  it('are those of the user alone, an admin too, and no longer those that are revoked or expired', async () => {
    expect(await list(await new Page(service).open())).to.have.length(2);
    const { id } = await service.core.createToken('eva', 120_000);
    const other = await service.core.createToken('eva');
    await service.core.tokens.revoke(operator, other.id);
    expect((await list()).map((each: { id: number }) => each.id))
      .to.include(id)
      .and.not.to.include(other.id);
    service.core.clock.advance(120_001);
    expect(await list()).to.have.length(1);
  });

  it('say which of them a request was signed in with, and none for a password', async () => {
    const token = await service.core.createToken('eva');
    const currentOf = async (authorization: string) => {
      const { json } = await service.request('/console/tokens', { headers: { authorization } });
      return json.filter(({ current }: { current: boolean }) => current).map(({ id }: { id: number }) => id);
    };
    expect(await currentOf(`Bearer ${token.secret}`)).to.deep.equal([token.id]);
    expect(await currentOf(basic('eva', password))).to.deep.equal([]);
  });

  it('end when their user ends them, which the audit log tells', async () => {
    const other = new Page(service);
    await other.signIn('eva', password);
    const [{ id }] = (await list()).filter(({ current }: { current: boolean }) => !current);
    const { status, text } = await remove(id);
    expect([status, text]).to.deep.equal([204, '']);
    expect([await other.status(), await page.status()]).to.deep.equal([401, 200]);
    expect(await list()).to.have.length(1);
    const [entry] = (await service.requestAsAdmin(`/auditlog.json?entity_type=Token&entity_id=${id}&action=update`))
      .json;
    expect(entry).to.include({ actor: 'eva', channel: 'ui' });
    expect(entry.changes).to.have.property('revoked_at');
    expect((await remove(id)).status).to.equal(204);
  });

  it('end with the session of the request itself', async () => {
    const [{ id }] = await list();
    expect((await remove(id)).status).to.equal(204);
    expect(await page.status()).to.equal(401);
  });

  it('are not ended by others, an admin neither, nor by pages of other sites', async () => {
    const root = await new Page(service).open();
    const [{ id }] = await list();
    const refused = await remove(id, root);
    expect([refused.status, refused.json.detail]).to.deep.equal([404, `There is no Token ${id}.`]);
    const [own] = await list(root);
    expect((await remove(own.id)).json.detail).to.equal(`There is no Token ${own.id}.`);
    expect((await remove(999)).status).to.equal(404);
    expect((await remove('x')).status).to.equal(400);
    const evil = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
    const foreign = await page.request(`/console/token/${id}`, { method: 'DELETE', headers: evil });
    expect(foreign.status).to.be.within(401, 403);
    expect([await page.status(), await root.status()]).to.deep.equal([200, 200]);
  });

  it('are shown to none who has not signed in', async () => {
    expect((await service.request('/console/tokens')).status).to.equal(401);
    expect((await service.request('/console/token/1', { method: 'DELETE' })).status).to.equal(401);
    const [stored] = await service.core.store.read((tables) => tables.of(Token).find({ where: [['id', '=', 1]] }));
    expect(stored?.revoked_at).to.equal(null);
  });

  it('are none for a local operator, who has no user', async () => {
    expect(await service.core.tokens.listOwn(operator)).to.deep.equal([]);
  });
});
