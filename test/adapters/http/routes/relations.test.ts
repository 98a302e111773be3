import { expect } from 'chai';
import { HttpService } from '../../../support/http/http-service.ts';

describe('Roles and memberships over HTTP', () => {
  let service: HttpService;
  const post = (path: string, body: unknown, headers = {}) =>
    service.requestAsAdmin(path, { method: 'POST', body, headers });
  const create = async (path: string, body: unknown) => (await post(path, body)).json;
  const names = (roles: { name: string }[]) => roles.map((role) => role.name);

  before(async () => {
    service = await new HttpService().start();
  });
  after(() => service.stop());

  describe('roles of a user', () => {
    let id: number;
    beforeEach(async () => {
      id = await service.core.addUser(`user ${Math.floor(performance.now() * 1000)}`, 'a long enough one', 'viewer');
    });

    it('are replaced, or extended with replace=false', async () => {
      const set = await post(`/user/${id}/roles/`, { roles: ['editor', 4] });
      expect([set.status, names(set.json)]).to.deep.equal([200, ['editor', 'user']]);
      for (const no of ['false', '0', 'no']) {
        const more = await post(`/user/${id}/roles?replace=${no}`, { roles: ['viewer'] });
        expect(names(more.json)).to.deep.equal(['editor', 'user', 'viewer']);
      }
      for (const yes of ['true', '1', 'yes'])
        expect(names((await post(`/user/${id}/roles?replace=${yes}`, { roles: ['user'] })).json)).to.deep.equal([
          'user',
        ]);
      expect((await post(`/user/${id}/roles?replace=perhaps`, { roles: ['user'] })).status).to.equal(400);
      expect((await post(`/user/${id}/roles`, { roles: [] })).json).to.deep.equal([]);
      expect((await service.requestAsAdmin(`/user/${id}/roles.json`)).json).to.deep.equal([]);
    });

    it('show their display name, assignment and expiry', async () => {
      const roles = [{ name: 'editor', expires_at: '2099-01-01T00:00:00+01:00' }, 'viewer'];
      const { json } = await post(`/user/${id}/roles`, { roles });
      expect(json[0]).to.include({ id: 3, name: 'editor', display_name: 'Editor', is_active: true });
      expect(json[0]).to.include({ expires_at: '2098-12-31T23:00:00.000Z' });
      expect(json[0].assigned_at).to.match(/^2\d{3}-.*Z$/);
      expect(json[1]).to.include({ id: 5, name: 'viewer', expires_at: null });
      expect(Object.keys(json[0])).to.deep.equal([
        'id',
        'name',
        'display_name',
        'is_active',
        'assigned_at',
        'expires_at',
      ]);
      // Roles may be sent back as they were shown.
      expect((await post(`/user/${id}/roles`, { roles: json })).json).to.deep.equal(json);
      const numbered = await post(`/user/${id}/roles`, { roles: [{ name: 'editor', expires_at: 5 }] });
      expect(numbered.json.errors.map((error: { field: string }) => error.field)).to.deep.equal([
        'roles[0].expires_at',
      ]);
    });

    it('keep their expiry when they are set again, and are assigned again once they have expired, unless it is sent back', async () => {
      await post(`/user/${id}/roles`, { roles: [{ id: 3, expires_at: '2099-01-01T00:00:00Z' }] });
      const kept = await post(`/user/${id}/roles`, { roles: ['editor'] });
      expect(kept.json[0].expires_at).to.equal('2099-01-01T00:00:00.000Z');
      const ended = await post(`/user/${id}/roles`, {
        roles: [{ name: 'editor', expires_at: '2020-01-01T00:00:00Z' }],
      });
      expect(ended.json[0].is_active).to.equal(false);
      const more = await post(`/user/${id}/roles`, { roles: [...ended.json, 'viewer'] });
      expect(more.json[0]).to.deep.equal(ended.json[0]);
      const again = await post(`/user/${id}/roles`, { roles: ['editor'] });
      expect(again.json[0]).to.include({ is_active: true, expires_at: null });
    });

    it('may be set by a form', async () => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      expect(names((await post(`/user/${id}/roles`, 'roles=editor&roles=5', headers)).json)).to.deep.equal([
        'editor',
        'viewer',
      ]);
      expect((await post(`/user/${id}/roles`, 'roles=', headers)).json).to.deep.equal([]);
    });

    it('are refused with every invalid one named', async () => {
      const wrong = { roles: ['king', 9, null, { name: 'viewer', expires_at: 'soon' }], colour: 'red' };
      const response = await post(`/user/${id}/roles`, wrong);
      expect(response.status).to.equal(422);
      expect(response.json.errors.map((error: { field: string }) => error.field)).to.have.members([
        'colour',
        'roles[0]',
        'roles[1]',
        'roles[2]',
        'roles[3].expires_at',
      ]);
      const misspelt = await post(`/user/${id}/roles`, { roles: [{ name: 'viewer', expire_at: null }] });
      expect(misspelt.json.errors).to.deep.equal([
        {
          field: 'roles[0].expire_at',
          message: 'roles[0].expire_at is not a field of a role. Did you mean expires_at?',
        },
      ]);
      for (const body of [{}, { roles: 'viewer' }, []])
        expect((await post(`/user/${id}/roles`, body)).status).to.equal(422);
      expect((await post('/user/999999/roles', { roles: [] })).status).to.equal(404);
      expect((await service.requestAsAdmin('/user/999999/roles.json')).status).to.equal(404);
    });

    it('are readable by their user and by admins only', async () => {
      const headers = { authorization: `Bearer ${(await service.core.createToken('root')).secret}` };
      const login = `plain ${id}`;
      await service.core.addUser(login, 'a long enough one', null);
      const plain = { authorization: `Bearer ${(await service.core.createToken(login)).secret}` };
      expect((await service.request(`/user/${id}/roles.json`, { headers })).status).to.equal(200);
      expect((await service.request(`/user/${id}/roles.json`, { headers: plain })).status).to.equal(404);
      expect((await post('/user/1/roles', { roles: ['admin'] })).status).to.equal(409);
      expect(names((await service.requestAsAdmin('/user/1/roles.json')).json)).to.deep.equal(['super_admin']);
    });
  });

  describe('members of a company', () => {
    it('are added, listed with their users, changed and removed', async () => {
      const company = await create('/company/', { code: 'members', name: 'M' });
      const eva = await create('/user/', { login: 'eva', email: 'eva@example.com', first_name: 'Eva' });
      const adam = await create('/user/', { login: 'adam' });
      const path = `/company/${company.id}/user`;
      const made = await post(`${path}/`, { user_id: eva.id });
      expect([made.status, made.headers['location']]).to.deep.equal([201, `/api/v1${path}/${eva.id}.json`]);
      expect(made.json).to.deep.include({ company_id: company.id, user_id: eva.id, role: 'viewer' });
      const again = await post(path, { user_id: eva.id, role: 'manager' });
      expect([again.status, again.json.id, again.json.role]).to.deep.equal([200, made.json.id, 'manager']);
      await post(path, { user_id: adam.id, role: 'operator' });
      const listed = await service.requestAsAdmin(`/company/${company.id}/users.json`);
      expect(listed.headers['x-total-count']).to.equal('2');
      expect(listed.json[1]).to.deep.include({
        role: 'manager',
        user: { id: eva.id, login: 'eva', email: 'eva@example.com', first_name: 'Eva', last_name: null },
      });
      expect(listed.json[1]).to.have.all.keys([
        'id',
        'created_at',
        'updated_at',
        'company_id',
        'user_id',
        'role',
        'user',
      ]);
      const first = await service.requestAsAdmin(`/company/${company.id}/users.json?limit=1`);
      const [, next = ''] = /<\/api\/v1(.*)>/.exec(String(first.headers['link'])) ?? [];
      expect((await service.requestAsAdmin(next)).json.map((each: { user_id: number }) => each.user_id)).to.deep.equal([
        eva.id,
      ]);
      expect((await service.requestAsAdmin(`${path}/${eva.id}.json`)).json).to.deep.equal(listed.json[1]);
      const changed = await post(`${path}/${eva.id}.json`, { role: 'admin' });
      expect([changed.status, changed.json.id, changed.json.role]).to.deep.equal([200, made.json.id, 'admin']);
      const known = { headers: { 'if-none-match': String(changed.headers['etag']) } };
      expect((await service.requestAsAdmin(`${path}/${eva.id}.json`, known)).status).to.equal(304);
      const late = { 'if-match': String(again.headers['etag']) };
      expect((await post(`${path}/${eva.id}`, { role: 'viewer' }, late)).status).to.equal(412);
      const remove = () => service.requestAsAdmin(`${path}/${eva.id}`, { method: 'DELETE' });
      expect((await remove()).status).to.equal(204);
      const gone = await remove();
      expect([gone.status, gone.json.detail]).to.deep.equal([
        404,
        `There is no membership of User ${eva.id} in Company ${company.id}.`,
      ]);
    });

    it('are added by the exact login, or by the id of a user that the caller may see', async () => {
      const company = await create('/company/', { code: 'logins', name: 'L' });
      const path = `/company/${company.id}/user/`;
      const boss = await create('/user/', { login: 'boss', password: 'correct horse battery' });
      const hidden = await create('/user/', { login: 'hidden' });
      expect((await post(path, { login: 'boss', role: 'admin' })).json).to.include({ user_id: boss.id, role: 'admin' });
      const { json } = await service.requestAsAdmin('/login.json', {
        method: 'POST',
        body: { login: 'boss', password: 'correct horse battery' },
      });
      const add = (body: object) =>
        service.requestAsAdmin(path, { method: 'POST', body, headers: { authorization: `Bearer ${json.token}` } });
      const byId = await add({ user_id: hidden.id });
      expect([byId.status, byId.json.errors]).to.deep.equal([
        422,
        [{ field: 'user_id', message: `there is no User ${hidden.id}` }],
      ]);
      const unknown = await add({ login: 'hidde' });
      expect([unknown.status, unknown.json.errors]).to.deep.equal([
        422,
        [{ field: 'login', message: 'there is no User with this login' }],
      ]);
      for (const login of [17, null, 'HIDDEN', ''])
        expect((await add({ login })).json.errors[0].field, String(login)).to.equal('login');
      expect((await add({ login: 'hidden', user_id: boss.id })).status).to.equal(422);
      expect((await add({ login: 'hidden', role: 'operator' })).status).to.equal(201);
      expect((await add({ user_id: hidden.id, role: 'viewer' })).status).to.equal(200);
      expect((await add({ user_id: boss.id })).status).to.equal(200);
    });

    it('are refused where the request contradicts itself', async () => {
      const company = await create('/company/', { code: 'strict', name: 'S' });
      const status = async (body: unknown, path = `/company/${company.id}/user/`) => (await post(path, body)).status;
      expect(await status({ user_id: 999_999 })).to.equal(422);
      expect(await status({})).to.equal(422);
      expect(await status({ user_id: 1, role: 'king' })).to.equal(422);
      expect(await status({ user_id: 1, company_id: company.id + 1 })).to.equal(400);
      expect(await status({ user_id: 1 }, '/company/999999/user/')).to.equal(404);
      expect(await status({ role: 'viewer' }, `/company/${company.id}/user/1.json`)).to.equal(404);
      await post(`/company/${company.id}/user/`, { user_id: 1 });
      expect(await status({ user_id: 2 }, `/company/${company.id}/user/1.json`)).to.equal(400);
      expect((await service.requestAsAdmin('/company/999999/users.json')).status).to.equal(404);
      expect((await service.requestAsAdmin(`/company/${company.id}/user/x`, { method: 'DELETE' })).status).to.equal(
        400,
      );
    });
  });
});
