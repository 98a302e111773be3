import type { IncomingHttpHeaders } from 'node:http';
import { Task, trustedActor } from '@horarium/core';
import { expect } from 'chai';
import { newRow } from '#core/store/table';
import { HttpService } from '../../../support/http/http-service.ts';

describe('A dry run', () => {
  let service: HttpService;
  const post = (path: string, body: unknown, headers = {}) =>
    service.requestAsAdmin(path, { method: 'POST', body, headers });
  const get = async (path: string) => (await service.requestAsAdmin(path)).json;
  const entries = async () => (await get('/auditlog.json?limit=1000')).length;
  const warnings = (headers: IncomingHttpHeaders) =>
    [...((headers['warning'] as string | undefined) ?? '').matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map(
      ([, text]) => text,
    );

  beforeEach(async () => {
    service = await new HttpService().start();
  });
  afterEach(() => service.stop());

  const addTemplate = async () => {
    const app = (await post('/app/', { name: 'A', executable: 'true' })).json;
    const company = (await post('/company/', { code: 'c', name: 'C' })).json;
    const fields = { name: 'T', app_id: app.id, company_id: company.id, interval: 'hourly' };
    return { app, company, template: (await post('/runtemplate/', fields)).json };
  };

  it('responds like the save that it leaves undone, writes no audit entry, and uses up no idempotency key', async () => {
    const before = await entries();
    const headers = { 'idempotency-key': 'key' };
    const tried = await post('/topic/?dry_run=true', { name: 'a' }, headers);
    expect([tried.status, tried.json.name]).to.deep.equal([201, 'a']);
    expect(warnings(tried.headers)).to.deep.equal(['dry run: nothing was changed', 'would create Topic: 1']);
    expect([await get('/topics.json'), await entries()]).to.deep.equal([[], before]);
    const { status, json, headers: made } = await post('/topic/', { name: 'a' }, headers);
    expect([status, made['idempotency-replayed'], made['warning']]).to.deep.equal([201, undefined, undefined]);
    const changed = await post(`/topic/${json.id}.json?dry_run=true`, { name: 'b' });
    expect([changed.status, changed.json.name]).to.deep.equal([200, 'b']);
    expect(warnings(changed.headers)).to.include(`would update Topic ${json.id} (name)`);
    expect(await get(`/topic/${json.id}.json`)).to.deep.equal(json);
  });

  it('is refused as the change would be', async () => {
    expect((await post('/topic/?dry_run=true', { name: '' })).status).to.equal(422);
    expect((await post('/topic/?dry_run=perhaps', { name: 'a' })).status).to.equal(400);
    expect((await service.requestAsAdmin('/topics.json?dry_run=true')).status).to.equal(400);
    await service.core.addUser('eva', 'a long enough one', 'viewer');
    const authorization = `Bearer ${(await service.core.createToken('eva')).secret}`;
    expect((await post('/topic/?dry_run=true', { name: 'a' }, { authorization })).status).to.equal(403);
  });

  it('of a deletion tells what a cascade would delete', async () => {
    const { company, template } = await addTemplate();
    const at = '2099-01-01T00:00:00Z';
    await post('/job/', { runtemplate_id: template.id, scheduled_at: at });
    const path = `/company/${company.id}.json?dry_run=true`;
    expect((await service.requestAsAdmin(path, { method: 'DELETE' })).status).to.equal(409);
    const tried = await service.requestAsAdmin(`${path}&cascade=true`, { method: 'DELETE' });
    expect([tried.status, tried.text]).to.deep.equal([204, '']);
    expect(warnings(tried.headers)).to.have.members([
      'dry run: nothing was changed',
      'would update Job 1 (state, finished_at, reason)',
      'would delete Job 1',
      `would delete RunTemplate ${template.id}`,
      `would delete Company ${company.id}`,
    ]);
    expect(await get('/jobs.json')).to.have.length(1);
  });

  it('tells which jobs and Tasks a disabled company and a changed cadence would cancel', async () => {
    const { company, template } = await addTemplate();
    const ids = { runtemplate_id: template.id, company_id: company.id };
    await service.core.store.transaction(trustedActor('test'), async (tables) => {
      const window_start = await tables.now();
      const window = { window_start, window_end: window_start + 3_600_000, deadline: window_start + 3_600_000 };
      await tables.of(Task).insert([newRow(Task, { ...ids, ...window })]);
    });
    const [task] = await get('/tasks.json');
    const changed = await post(`/runtemplate/${template.id}.json?dry_run=true`, { interval: 'daily' });
    expect(warnings(changed.headers).join()).to.match(new RegExp(`would update Task ${task.id} \\(.*state`));
    const disabled = await post(`/company/${company.id}.json?dry_run=true`, { enabled: false });
    expect(warnings(disabled.headers)).to.include.members([
      `would update Company ${company.id} (enabled)`,
      `would update Task ${task.id} (state, reason)`,
    ]);
    expect((await get('/tasks.json'))[0]).to.deep.equal(task);
  });

  it('of jobs, roles and memberships changes nothing, and is refused for a claim', async () => {
    const { company, template } = await addTemplate();
    const before = await entries();
    expect((await post('/job/?dry_run=true', { runtemplate_id: template.id })).status).to.equal(201);
    const id = await service.core.addUser('eva', 'a long enough one', 'viewer');
    const added = await entries();
    expect((await post(`/user/${id}/roles/?dry_run=true`, { roles: ['editor'] })).status).to.equal(200);
    expect((await post(`/company/${company.id}/user/?dry_run=true`, { login: 'eva' })).status).to.equal(201);
    expect(await entries()).to.equal(added);
    expect(added).to.be.greaterThan(before);
    expect((await post('/job/1.json?dry_run=true', { state: 'running' })).status).to.equal(400);
  });

  it('of a credential type tells which credentials lack a field that becomes required', async () => {
    const company_id = (await post('/company/', { code: 'c', name: 'C' })).json.id;
    const type = (await post('/credential_type/', { code: 't', name: 'T', fields: [{ keyword: 'A' }] })).json;
    const credential = { name: 'C', company_id, credential_type_id: type.id, values: { A: 'x' } };
    const { id } = (await post('/credential/', credential)).json;
    const fields = [{ keyword: 'A' }, { keyword: 'B', required: true }];
    const sentence = `Credential ${id}: no value for B; jobs get what is stored, and the next save needs a value`;
    const path = `/credential_type/${type.id}.json`;
    expect(warnings((await post(`${path}?dry_run=true`, { fields })).headers)).to.include(sentence);
    expect(warnings((await post(path, { fields })).headers)).to.deep.equal([sentence]);
    expect((await post(`/credential/${id}.json`, { name: 'D' })).status).to.equal(422);
    expect((await post(path, { name: 'Other' })).headers['warning']).to.equal(undefined);
  });
});
