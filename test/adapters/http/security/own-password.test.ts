import { trustedActor } from '@horarium/core';
import { expect } from 'chai';
import { basic, HttpService } from '../../../support/http/http-service.ts';

const old = 'correct horse battery';
const next = 'staple battery horse';

describe('One’s own password over HTTP', () => {
  let service: HttpService;
  let eva: number;
  beforeEach(async () => {
    service = await new HttpService().start();
    eva = await service.core.addUser('eva', old, 'viewer');
  });
  afterEach(() => service.stop());

  const login = async (password: string) =>
    service.request('/login.json', { method: 'POST', body: { login: 'eva', password } });
  const change = (body: object, headers: Record<string, string> = {}, path = `/user/${eva}.json`) =>
    service.request(path, { method: 'POST', body, headers: { authorization: basic('eva', old), ...headers } });

  it('is changed by its user, who gives the old one, and the change is audited', async () => {
    const { status, json } = await change({ old_password: old, password: next });
    expect([status, json.id, json.login]).to.deep.equal([200, eva, 'eva']);
    expect(json).not.to.have.any.keys('password', 'old_password');
    expect([(await login(old)).status, (await login(next)).status]).to.deep.equal([401, 200]);
    const { json: entries } = await service.requestAsAdmin(
      `/auditlog.json?entity_type=User&entity_id=${eva}&action=update`,
    );
    expect(entries.map((entry: { user_id: number; changes: object }) => [entry.user_id, entry.changes])).to.deep.equal([
      [eva, { password: ['••••••••', '••••••••'] }],
    ]);
  });

  it('is also changed by the id in the body or the query', async () => {
    expect((await change({ id: eva, old_password: old, password: next }, {}, '/user/')).status).to.equal(200);
    const back = { method: 'POST', body: { old_password: next, password: old } };
    const headers = { authorization: basic('eva', next) };
    expect((await service.request(`/user/?userId=${eva}`, { ...back, headers })).status).to.equal(200);
    expect((await change({ old_password: old, password: next }, {}, '/user/')).status).to.equal(400);
  });

  it('revokes login tokens when it changes, and no others', async () => {
    const { json } = await login(old);
    const issued = await service.core.createToken('eva');
    const status = async (token: string) =>
      (await service.request('/apps.json', { headers: { authorization: `Bearer ${token}` } })).status;
    expect([await status(json.token), await status(issued.secret)]).to.deep.equal([200, 200]);
    const authorization = `Bearer ${json.token}`;
    expect((await change({ old_password: old, password: next }, { authorization })).status).to.equal(200);
    expect([await status(json.token), await status(issued.secret)]).to.deep.equal([401, 200]);
  });

  it('is not changed for a wrong old one, and further attempts are delayed', async () => {
    const { secret } = await service.core.createToken('eva');
    const authorization = `Bearer ${secret}`;
    const guess = (n: number) => change({ old_password: `wrong guess ${n}`, password: next }, { authorization });
    for (let n = 0; n < 6; n++) {
      const { status, json } = await guess(n);
      expect([status, json.errors]).to.deep.equal([422, [{ field: 'old_password', message: 'old_password is wrong' }]]);
    }
    const late = await change({ old_password: old, password: next }, { authorization });
    expect([late.status, late.headers['retry-after']]).to.deep.equal([429, '1']);
    expect((await login(old)).status).to.equal(429);
    service.core.clock.advance(1001);
    expect((await login(old)).status).to.equal(200);
  });

  it('is validated before the old one is verified', async () => {
    const { verifications } = service.core.passwordHasher;
    for (const [body, field, message] of [
      [{ old_password: old, password: 'short' }, 'password', 'password must be at least 12 characters'],
      [{ old_password: old }, 'password', 'password must be a text'],
      [{ old_password: old, password: null }, 'password', 'password must be a text'],
      [{ old_password: 7, password: next }, 'old_password', 'old_password must be a text'],
      [{ old_password: old, password: old }, 'password', 'password must be another one than before'],
      [
        { old_password: 'x'.repeat(1025), password: next },
        'old_password',
        'old_password may have at most 1024 characters',
      ],
      [
        { old_password: old, password: next, enabled: false },
        'enabled',
        'enabled is not a field of a password change; expected one of old_password, password',
      ],
    ] as const) {
      const { status, json, text } = await change(body);
      expect([status, json.errors]).to.deep.equal([422, [{ field, message }]]);
      expect(text).not.to.include(old);
    }
    expect(service.core.passwordHasher.verifications - verifications).to.be.at.most(1);
    expect((await login(old)).status).to.equal(200);
  });

  it('is set without the old one by admins only, and never that of another user with it', async () => {
    expect((await change({ password: next })).status).to.equal(403);
    const other = await service.requestAsAdmin(`/user/${eva}.json`, {
      method: 'POST',
      body: { old_password: old, password: next },
    });
    expect([other.status, other.json.detail]).to.deep.equal([
      403,
      'old_password goes with one’s own password; that of another user is set without it, by admins.',
    ]);
    const unseen = { old_password: old, password: next };
    expect((await change(unseen, {}, '/user/999.json')).status).to.equal(404);
    expect(
      (await service.requestAsAdmin(`/user/${eva}.json`, { method: 'POST', body: { password: next } })).status,
    ).to.equal(200);
    expect((await login(next)).status).to.equal(200);
  });

  it('is hashed, when admins set it, before the transaction of the request begins', async () => {
    const { core } = service;
    const quickHash = core.passwordHasher.hash.bind(core.passwordHasher);
    core.passwordHasher.hash = async (password) => {
      await core.records('Topic').save(trustedActor('test'), { name: 'saved while the hash is computed' });
      return quickHash(password);
    };
    const set = await service.requestAsAdmin(`/user/${eva}.json`, { method: 'POST', body: { password: next } });
    expect([set.status, (await login(next)).status]).to.deep.equal([200, 200]);
  });

  it('is changed only at the version of If-Match', async () => {
    const etag = (await service.requestAsAdmin(`/user/${eva}.json`)).headers.etag as string;
    await service.core.records('User').save(trustedActor('test'), { first_name: 'Eva' }, { id: eva });
    const stale = await change({ old_password: old, password: next }, { 'if-match': etag });
    expect(stale.status).to.equal(412);
  });

  it('is changed once under one Idempotency-Key', async () => {
    const { secret } = await service.core.createToken('eva');
    const headers = { authorization: `Bearer ${secret}`, 'idempotency-key': 'once' };
    const first = await change({ old_password: old, password: next }, headers);
    const again = await change({ old_password: old, password: next }, headers);
    expect([first.status, again.status, again.headers['idempotency-replayed']]).to.deep.equal([200, 200, 'true']);
    expect(again.text).to.equal(first.text);
  });
  it('is not verified again for a change that is repeated under one Idempotency-Key, so that sign-in is not delayed', async () => {
    const { secret } = await service.core.createToken('eva');
    const headers = { authorization: `Bearer ${secret}`, 'idempotency-key': 'once' };
    const first = await change({ old_password: old, password: next }, headers);
    const { verifications } = service.core.passwordHasher;
    for (let n = 0; n < 8; n++) {
      const again = await change({ old_password: old, password: next }, headers);
      expect([again.status, again.text]).to.deep.equal([200, first.text]);
    }
    expect(service.core.passwordHasher.verifications).to.equal(verifications);
    expect(service.core.signIns.filter(({ code }) => code !== null)).to.deep.equal([]);
    expect((await login(next)).status).to.equal(200);
  });
});
