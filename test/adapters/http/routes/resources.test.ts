import { expect } from 'chai';
import { HttpService } from '../../../support/http/http-service.ts';

describe('Resources over HTTP', () => {
  let service: HttpService;
  const post = (path: string, body: unknown, headers = {}) =>
    service.requestAsAdmin(path, { method: 'POST', body, headers });
  const create = async (path: string, body: unknown) => (await post(path, body)).json;

  before(async () => {
    service = await new HttpService({ publicUrl: 'https://jobs.example.com/horarium/' }).start();
  });
  after(() => service.stop());

  it('are created, read, updated, listed and deleted', async () => {
    const created = await post('/company/', { code: 'acme', name: 'Acme' });
    expect(created.status).to.equal(201);
    const { id } = created.json;
    expect(created.headers['location']).to.equal(`https://jobs.example.com/horarium/api/v1/company/${id}.json`);
    expect(created.json).to.include({ code: 'acme', name: 'Acme', enabled: true, registration_number: null });
    expect(created.json.created_at).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(created.json).not.to.have.property('version');

    const read = await service.requestAsAdmin(`/company/${id}.json`);
    expect(read.status).to.equal(200);
    expect(read.json).to.deep.equal(created.json);
    expect(read.headers['content-type']).to.equal('application/json; charset=utf-8');

    const updated = await post(`/company/${id}.json`, { email: 'office@acme.example' });
    expect(updated.status).to.equal(200);
    expect(updated.json).to.include({ name: 'Acme', email: 'office@acme.example' });
    expect(updated.headers).not.to.have.property('location');
    expect((await post('/company/', { id, email: null })).json.email).to.equal(null);
    expect((await post(`/company/?companyId=${id}`, { name: 'Acme Inc.' })).json.name).to.equal('Acme Inc.');

    expect((await service.requestAsAdmin('/companies.json')).json.map((each: { id: number }) => each.id)).to.include(
      id,
    );
    const deleted = await service.requestAsAdmin(`/company/${id}.json`, { method: 'DELETE' });
    expect(deleted.status).to.equal(204);
    expect(deleted.text).to.equal('');
    expect((await service.requestAsAdmin(`/company/${id}.json`)).status).to.equal(404);
    expect((await service.requestAsAdmin(`/company/${id}.json`, { method: 'DELETE' })).status).to.equal(404);
  });

  it('show environments and arguments one record at a time, and in no list of any format', async () => {
    const environment = { PLACE: 'a long way from here' };
    const variables = { PLACE: { default: environment.PLACE } };
    const app = await create('/app/', {
      name: 'L',
      executable: 'true',
      arguments: ['{PLACE}'],
      environment: variables,
    });
    const company = await create('/company/', { code: 'long', name: 'Long', environment });
    const owned = { app_id: app.id, company_id: company.id, interval: 'none' };
    const template = await create('/runtemplate/', { name: 'Long', environment, ...owned });
    const job = await create('/job/', {
      runtemplate_id: template.id,
      scheduled_at: '2099-01-01T00:00:00Z',
      environment,
    });
    for (const [kind, { id }] of Object.entries({ app, company, runtemplate: template, job }))
      expect((await service.requestAsAdmin(`/${kind}/${id}.json`)).text, kind).to.include(environment.PLACE);
    for (const list of ['apps', 'companies', 'runtemplates', 'jobs'])
      for (const format of ['json', 'csv', 'html', 'xml', 'yaml']) {
        const { status, text } = await service.requestAsAdmin(`/${list}.${format}`);
        expect(status, `${list}.${format}`).to.equal(200);
        expect(text, `${list}.${format}`).not.to.match(/environment|PLACE|a long way/);
      }
  });

  it('are updated by natural key, so that the same POST twice makes one record', async () => {
    const body = { uuid: '6a2f1c7e-6f43-4f25-9f0f-0d8a6e8f0a11', name: 'Backup', executable: '/bin/true' };
    const first = await post('/app/', body);
    const second = await post('/app', { ...body, name: 'Backup of all' });
    expect([first.status, second.status]).to.deep.equal([201, 200]);
    expect(second.json.id).to.equal(first.json.id);
    expect(second.json.name).to.equal('Backup of all');
    const again = await post('/app/', body, { 'if-none-match': '*' });
    expect(again.status).to.equal(412);
    expect((await service.requestAsAdmin(`/app/${first.json.id}`)).json.name).to.equal('Backup of all');
  });

  it('accept forms, whose texts are read by the kinds of the fields', async () => {
    const app = await create('/app/', { name: 'Form', executable: 'true', environment: { KEY: {} } });
    const company = await create('/company/', { code: 'form', name: 'Form' });
    const form = new URLSearchParams({
      name: 'From a form',
      app_id: app.id,
      company_id: company.id,
      interval: 'daily',
      active: 'no',
      max_attempts: '3',
      timeout: '',
      environment: '{"KEY": "value"}',
    });
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const { status, json } = await post('/runtemplate/', String(form), headers);
    expect(status).to.equal(201);
    expect(json).to.include({ app_id: app.id, interval: 'daily', active: false, max_attempts: 3, timeout: null });
    expect(json.environment).to.deep.equal({ KEY: 'value' });
    const more = await post('/app/', 'name=Tagged&executable=true&tags=a&tags=b', headers);
    expect(more.json.tags).to.deep.equal(['a', 'b']);
    const wrong = await post('/runtemplate/', 'name=a&name=b', headers);
    expect(wrong.json.errors).to.deep.equal([{ field: 'name', message: 'name is given more than once' }]);
    const evil = await post('/app/', '__proto__=a', headers);
    expect(evil.json.errors[0].field).to.equal('__proto__');
  });

  it('are refused with every invalid field named', async () => {
    const response = await post('/company/', { code: 'no good', colour: 'red', enabled: 'yes' });
    expect(response.status).to.equal(422);
    expect(response.headers['content-type']).to.equal('application/problem+json; charset=utf-8');
    expect(response.json).to.include({
      type: 'about:blank',
      status: 422,
      code: 'invalid',
      title: 'Unprocessable Content',
    });
    expect(response.json.request_id).to.equal(response.headers['x-request-id']);
    const fields = response.json.errors.map((error: { field: string }) => error.field);
    expect(fields).to.have.members(['code', 'colour', 'enabled', 'name']);
  });

  it('are protected from lost updates by ETag and If-Match', async () => {
    const { id } = await create('/topic/', { name: 'etag' });
    const read = await service.requestAsAdmin(`/topic/${id}.json`);
    const { etag } = read.headers;
    expect(etag).to.match(/^"[^"]+"$/);
    const same = await service.requestAsAdmin(`/topic/${id}.json`, { headers: { 'if-none-match': etag as string } });
    expect([same.status, same.text]).to.deep.equal([304, '']);
    const mine = await post(`/topic/${id}.json`, { color: '#112233' }, { 'if-match': etag });
    expect(mine.status).to.equal(200);
    expect(mine.headers['etag']).not.to.equal(etag);
    const late = await post(`/topic/${id}.json`, { color: '#445566' }, { 'if-match': etag });
    expect([late.status, late.json.code]).to.deep.equal([412, 'precondition_failed']);
    const deleting = (tag: string | undefined) =>
      service.requestAsAdmin(`/topic/${id}.json`, { method: 'DELETE', headers: { 'if-match': tag as string } });
    expect((await deleting(etag)).status).to.equal(412);
    expect((await deleting('"rubbish"')).status).to.equal(412);
    expect((await service.requestAsAdmin(`/topic/${id}.json`)).json.color).to.equal('#112233');
    expect(
      (await service.requestAsAdmin(`/topic/${id}.json`, { headers: { 'if-none-match': etag as string } })).status,
    ).to.equal(200);
    expect((await deleting(mine.headers['etag'])).status).to.equal(204);
  });

  it('are paged by Link, newest first, with their total count', async () => {
    for (let n = 1; n <= 7; n++) await create('/credential_type/', { code: `type-${n}`, name: `Type ${n}` });
    const codes: string[] = [];
    let path: string | undefined = '/credential_types.json?limit=3';
    const counts: unknown[] = [];
    while (path !== undefined) {
      const page = await service.requestAsAdmin(path);
      expect(page.status).to.equal(200);
      counts.push(page.headers['x-total-count']);
      codes.push(...page.json.map((each: { code: string }) => each.code));
      const link = /^<https:\/\/jobs\.example\.com\/horarium\/api\/v1(.+)>; rel="next"$/.exec(
        String(page.headers['link']),
      );
      path = link?.[1];
      if (codes.length < 7) expect(path).to.be.a('string');
    }
    expect(codes).to.deep.equal([7, 6, 5, 4, 3, 2, 1].map((n) => `type-${n}`));
    expect(counts).to.deep.equal(['7', '7', '7']);
    const ordered = await service.requestAsAdmin('/credential_types.json?order=code&limit=2&offset=1');
    expect(ordered.json.map((each: { code: string }) => each.code)).to.deep.equal(['type-2', 'type-3']);
    expect((await service.requestAsAdmin('/credential_types.json?code=type-4')).json).to.have.length(1);
  });

  for (const [query, culprit] of [
    ['limit=0', 'limit'],
    ['limit=1001', 'limit'],
    ['limit=many', 'limit'],
    ['offset=-1', 'offset'],
    ['offset=10001', 'after'],
    ['order=password', 'order'],
    ['order=', 'order'],
    ['after=rubbish', 'after'],
    ['colour=red', 'colour'],
    ['name=a&name=b', 'name'],
    ['enabled=maybe', 'enabled'],
    ['from=2026-01-01', 'from'],
  ] as const)
    it(`are not listed with ?${query}: the error names ${culprit}`, async () => {
      const response = await service.requestAsAdmin(`/companies.json?${query}`);
      expect(response.status).to.equal(400);
      expect(response.json.detail).to.include(culprit);
    });

  for (const id of ['0', '-1', '1e3', '01', 'abc', '1x', '9007199254740993', '%20', '1%2F2', 'x'.repeat(300)])
    it(`are refused with 400 for the id ${id.slice(0, 20)}`, async () => {
      expect((await service.requestAsAdmin(`/company/${id}.json`)).status).to.equal(400);
      expect((await service.requestAsAdmin(`/company/${id}`)).status).to.equal(400);
    });

  it('are refused with an id in the body or the query that is malformed, or differs from the path', async () => {
    const { id } = await create('/topic/', { name: 'ids' });
    for (const wrong of ['1', 0, -1, 1.5, null, [], true])
      expect((await post('/topic/', { id: wrong, name: 'x' })).status, String(wrong)).to.equal(422);
    expect((await post('/topic/?topicId=abc', { name: 'x' })).status).to.equal(400);
    expect((await post(`/topic/${id}.json`, { id: id + 1 })).status).to.equal(400);
    expect((await post(`/topic/?topicId=${id}`, { id: id + 1 })).status).to.equal(400);
    expect((await post('/topic/', { id: 999_999, name: 'x' })).status).to.equal(404);
  });

  it('are answered with 404 to callers who may not see them, and 403 to callers who may not change them', async () => {
    const own = await service.core.addUser('outsider', 'a long enough one', null);
    const headers = { authorization: `Bearer ${(await service.core.createToken('outsider')).secret}` };
    const company = await create('/company/', { code: 'hidden', name: 'Hidden' });
    const hidden = await service.request(`/company/${company.id}.json`, { headers });
    const missing = await service.request('/company/999999.json', { headers });
    expect([hidden.status, missing.status]).to.deep.equal([404, 404]);
    expect(hidden.json.detail.replace(company.id, '999999')).to.equal(missing.json.detail);
    expect((await service.request('/companies.json', { headers })).json).to.deep.equal([]);
    expect(
      (await service.request('/users.json', { headers })).json.map((user: { id: number }) => user.id),
    ).to.deep.equal([own]);
    const denied = await service.request('/topic/', { method: 'POST', headers, body: { name: 'new' } });
    expect([denied.status, denied.json.code]).to.deep.equal([403, 'denied']);
    expect((await service.requestAsAdmin('/topics.json?name=new')).json).to.deep.equal([]);
  });

  it('write every change to the audit log, with its actor, channel and address', async () => {
    const { id } = await create('/topic/', { name: 'audited' });
    const headers = { 'x-request-id': 'my-request' };
    await service.requestAsAdmin(`/topic/${id}.json`, { method: 'POST', headers, body: { color: '#aabbcc' } });
    await service.requestAsAdmin(`/topic/${id}.json`, { method: 'DELETE' });
    const { json, status } = await service.requestAsAdmin(`/auditlog.json?entity_type=Topic&entity_id=${id}`);
    expect(status).to.equal(200);
    expect(json.map((entry: { action: string }) => entry.action)).to.deep.equal(['delete', 'update', 'create']);
    expect(json[1]).to.include({
      channel: 'http',
      actor: 'root',
      ip: '127.0.0.1',
      request_id: 'my-request',
      user_id: 1,
    });
    expect(json[1].changes).to.deep.equal({ color: [null, '#aabbcc'] });
    expect((await service.requestAsAdmin(`/auditlog/${json[1].id}.json`)).json).to.deep.equal(json[1]);
    for (const path of ['/auditlog/', `/auditlog/${json[1].id}.json`]) {
      const response = await service.requestAsAdmin(path, { method: 'POST', body: {} });
      expect([response.status, response.headers['allow']]).to.deep.equal([405, 'GET, HEAD']);
    }
  });

  it('filter the audit log by time, inclusively, and by whole days of the service’s time zone', async () => {
    const { id } = await create('/topic/', { name: 'timed' });
    const [entry] = (await service.requestAsAdmin(`/auditlog.json?entity_type=Topic&entity_id=${id}`)).json;
    const at = entry.created_at as string;
    const found = async (query: string) =>
      (await service.requestAsAdmin(`/auditlog.json?entity_type=Topic&entity_id=${id}&${query}`)).json.length;
    expect(await found(`from=${at}&to=${at}`)).to.equal(1);
    const later = new Date(Date.parse(at) + 1).toISOString();
    expect(await found(`from=${later}`)).to.equal(0);
    expect(await found(`to=${new Date(Date.parse(at) - 1).toISOString()}`)).to.equal(0);
    const inPrague = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Prague' }).format(new Date(at));
    expect(await found(`from=${inPrague}&to=${inPrague}`)).to.equal(1);
    expect(await found(`from=${encodeURIComponent('2000-01-01T00:00:00+02:00')}&to=2000-12-31`)).to.equal(0);
    for (const wrong of ['yesterday', '2026-02-30', '2026-13-01', '2026-01-01T00:00:00'])
      expect((await service.requestAsAdmin(`/auditlog.json?from=${wrong}`)).status, wrong).to.equal(400);
  });
});
