import { expect } from 'chai';
import { HttpService } from '../../../support/http/http-service.ts';

describe('Saving over HTTP', () => {
  let service: HttpService;
  let company_id: number;
  const post = (path: string, body: unknown, headers = {}) =>
    service.requestAsAdmin(path, { method: 'POST', body, headers });
  const save = async (path: string, body: unknown) => (await post(path, body)).json;

  before(async () => {
    service = await new HttpService().start();
    company_id = (await save('/company/', { code: 'acme', name: 'Acme' })).id;
  });
  after(() => service.stop());

  it('finds an app by its UUID in upper and lower case', async () => {
    const created = await post('/app/', {
      uuid: '6A2F1C7E-6F43-4F25-9F0F-0D8A6E8F0A11',
      name: 'Upper',
      executable: 'true',
    });
    expect([created.status, created.json.uuid]).to.deep.equal([201, '6a2f1c7e-6f43-4f25-9f0f-0d8a6e8f0a11']);
    const again = await post('/app/', { uuid: '6a2F1c7e-6f43-4f25-9f0f-0d8a6e8f0a11', name: 'Mixed' });
    expect([again.status, again.json.id, again.json.name]).to.deep.equal([200, created.json.id, 'Mixed']);
    expect((await post('/app/', { uuid: 'no-uuid', name: 'x', executable: 'x' })).status).to.equal(422);
  });

  it('accepts a record exactly as a response showed it, and changes nothing', async () => {
    const app = await save('/app/', { name: 'A', executable: 'true' });
    const user = await save('/user/', { login: 'eva' });
    const records = [
      [`/app/${app.id}.json`, app],
      [`/user/${user.id}.json`, user],
      ['/runtemplate/', await save('/runtemplate/', { name: 'T', app_id: app.id, company_id, interval: 'daily' })],
      ['/credential/', await save('/credential/', { name: 'C', company_id, values: { KEY: 'secret', NONE: null } })],
      [`/company/${company_id}/user/`, await save(`/company/${company_id}/user/`, { user_id: user.id })],
    ] as const;
    for (const [path, shown] of records) {
      const again = await post(path, shown);
      expect([again.status, again.json], path).to.deep.equal([200, shown]);
    }
  });

  it('clears all values of a credential that are null, and leaves missing ones unchanged', async () => {
    const { id } = await save('/credential/', { name: 'Plain', company_id, values: { ONE: 'a', TWO: 'b' } });
    const values = async (given: unknown) => (await save(`/credential/${id}.json`, { values: given })).values;
    expect(await values({ TWO: null })).to.deep.equal({ ONE: '••••••••', TWO: null });
    expect(await values({})).to.deep.equal({ ONE: '••••••••', TWO: null });
    expect(await values(null)).to.deep.equal({});
    const fields = [{ keyword: 'PASS', type: 'password', required: true }];
    const type = await save('/credential_type/', { code: 'strict', name: 'Strict', fields });
    const body = { name: 'Strict', company_id, credential_type_id: type.id, values: { PASS: 'x' } };
    const strict = await save('/credential/', body);
    const cleared = await post(`/credential/${strict.id}.json`, { values: null });
    expect(cleared.json.errors).to.deep.equal([{ field: 'values.PASS', message: 'PASS is required' }]);
  });

  it('reports each invalid field once, with all its errors in one message', async () => {
    const { json } = await post('/company/', { code: 'x', name: '', settings: [], enabled: 1, nmae: 'x', logo: 5 });
    expect(json.errors).to.deep.equal([
      { field: 'name', message: 'name is required' },
      { field: 'settings', message: 'settings must be an object' },
      { field: 'enabled', message: 'enabled must be true or false' },
      { field: 'nmae', message: 'nmae is not a field of Company. Did you mean name?' },
      { field: 'logo', message: 'logo must be a text' },
    ]);
    const member = await post(`/company/${company_id}/user/`, { user_id: 1, role: 'boss' });
    expect(member.json.errors).to.deep.equal([
      { field: 'role', message: 'role must be one of viewer, operator, manager, admin, not boss' },
    ]);
    const app = { name: 'Topics', executable: 'true', topics: [98, 99] };
    expect((await post('/app/', app)).json.errors).to.deep.equal([
      { field: 'topics', message: 'there is no Topic 98; there is no Topic 99' },
    ]);
  });

  it('rejects a natural key of the wrong type with 422', async () => {
    const user = await save('/user/', { login: 'kind' });
    for (const [path, field] of [
      ['/app/', 'uuid'],
      ['/company/', 'code'],
      ['/user/', 'login'],
      ['/credential_type/', 'code'],
      ['/eventsource/', 'name'],
      ['/topic/', 'name'],
      [`/company/${company_id}/user/`, 'user_id'],
    ] as const)
      for (const value of [0.5, true, [], {}, { toString: 'x' }]) {
        const { status, json } = await post(path, { [field]: value });
        const fields = json.errors?.map((error: { field: string }) => error.field);
        expect([status, fields?.includes(field)], `${path} ${JSON.stringify(value)}`).to.deep.equal([422, true]);
      }
    const roles = [{ name: 'viewer', expires_at: { toString: 'x' } }];
    expect((await post(`/user/${user.id}/roles`, { roles })).status).to.equal(422);
  });

  it('rejects numbers and times that RFC 3339 cannot express', async () => {
    const app = await save('/app/', { name: 'Times', executable: 'true' });
    const body = { name: 'Times', app_id: app.id, company_id, interval: 'none' };
    const years = { starts_at: '0001-01-01T00:00:00.000Z', ends_at: '9999-12-31T23:59:59.999Z' };
    expect(await save('/runtemplate/', { ...body, ...years })).to.include(years);
    for (const starts_at of ['9999-12-31T23:59:59-23:00', '0001-01-01T00:00:00+01:00', '2026-11-21', 5, true]) {
      const { status, json } = await post('/runtemplate/', { ...body, starts_at });
      expect([status, json.errors?.[0]?.field], String(starts_at)).to.deep.equal([422, 'starts_at']);
    }
  });

  it('rejects If-Match with 412 where no record is named by its id', async () => {
    const response = await post('/topic/', { name: 'unheard of' }, { 'if-match': '"v1"' });
    expect([response.status, response.json.detail]).to.deep.equal([412, 'There is no such Topic yet.']);
  });

  it('does not reveal by a natural key whether an invisible record exists', async () => {
    const outsider = await service.core.addUser('outsider', 'a long enough one', null);
    const authorization = `Bearer ${(await service.core.createToken('outsider')).secret}`;
    const theirs = await save('/company/', { code: 'theirs', name: 'Theirs' });
    const own = await save('/company/', { code: 'own', name: 'Own' });
    await save(`/company/${own.id}/user/`, { user_id: outsider, role: 'admin' });
    const { id: app_id } = await save('/app/', { name: 'N', executable: 'true' });
    await save('/runtemplate/', { code: 'taken', name: 'T', app_id, company_id: theirs.id, interval: 'none' });
    const answered = async (path: string, body: object) => {
      const { status, json } = await service.request(path, { method: 'POST', body, headers: { authorization } });
      return [status, json.detail];
    };
    for (const code of ['theirs', 'free'])
      expect(await answered('/company/', { code, name: 'x' }), code).to.deep.equal([
        403,
        'outsider may not create Company records: that takes the role admin.',
      ]);
    const template = { name: 'x', app_id, company_id: theirs.id, interval: 'none' };
    const unknownCompany = [422, `RunTemplate is invalid: company_id: there is no Company ${theirs.id}`];
    for (const code of ['taken', 'free'])
      expect(await answered('/runtemplate/', { ...template, code }), code).to.deep.equal(unknownCompany);
  });
});
