import { expect } from 'chai';
import { HttpService } from '../../../support/http/http-service.ts';

describe('why and undo over HTTP', () => {
  let service: HttpService;
  let template: number;

  before(async () => {
    service = new HttpService();
    await service.start();
    const app = await save('/app/', { name: 'Backup', executable: '/bin/true' });
    const company = await save('/company/', { code: 'acme', name: 'Acme' });
    const fields = { name: 'Nightly', app_id: app, company_id: company, interval: 'none' };
    template = await save('/runtemplate/', fields);
  });
  after(() => service.stop());

  async function save(path: string, body: object): Promise<number> {
    const { status, json } = await service.requestAsAdmin(path, { method: 'POST', body });
    expect(status, JSON.stringify(json)).to.be.within(200, 201);
    return json.id;
  }

  const get = (path: string, headers?: Record<string, string>) =>
    headers ? service.request(path, { headers }) : service.requestAsAdmin(path);

  async function newestEntry(): Promise<number> {
    return (await get('/auditlog.json?limit=1')).json[0].id;
  }

  const undo = (id: number, search = '', headers: Record<string, string> = {}) =>
    service.requestAsAdmin(`/auditlog/${id}/undo.json${search}`, { method: 'POST', body: {}, headers });

  it('tells why a template, a Task and a job run or not', async () => {
    const { status, json } = await get(`/runtemplate/${template}/why.json`);
    expect(status).to.equal(200);
    expect(json).to.include({ kind: 'RunTemplate', id: template, since_success: null });
    expect(json.sentence).to.match(/^Nightly \(Acme\) does not run: its interval is none/);
    const job = await save('/job/', { runtemplate_id: template });
    expect((await get(`/job/${job}/why.json`)).json.conditions.map(({ name }: { name: string }) => name)).to.deep.equal(
      ['active', 'app_enabled', 'company_enabled', 'due', 'slots'],
    );
    expect((await get('/task/99/why.json')).status).to.equal(404);
  });

  it('is answered in every format, and refused to those who may not see the record', async () => {
    for (const suffix of ['json', 'xml', 'yaml', 'csv', 'html'])
      expect((await get(`/runtemplate/${template}/why.${suffix}`)).status, suffix).to.equal(200);
    await service.core.addUser('outsider', 'a long password', null);
    const outsider = { authorization: `Bearer ${(await service.core.createToken('outsider')).secret}` };
    expect((await get(`/runtemplate/${template}/why.json`, outsider)).status).to.equal(404);
    const undone = await service.request('/auditlog/1/undo.json', { method: 'POST', body: {}, headers: outsider });
    expect(undone.status).to.equal(404);
    expect((await service.request(`/runtemplate/${template}/why.json`)).status).to.equal(401);
  });

  it('undoes a change for a manager of the company, who may not read all of the audit log', async () => {
    await save('/runtemplate/', { id: template, deadline: '09:00' });
    const entry = await newestEntry();
    const users = { viewer: 403, manager: 200 } as const;
    for (const role of ['viewer', 'manager'] as const) {
      const id = await service.core.addUser(role, 'a long password', null);
      await save('/company/1/user', { user_id: id, role });
      const headers = { authorization: `Bearer ${(await service.core.createToken(role)).secret}` };
      const undone = await service.request(`/auditlog/${entry}/undo.json`, { method: 'POST', body: {}, headers });
      expect(undone.status, role).to.equal(users[role]);
    }
    expect((await get(`/runtemplate/${template}.json`)).json.deadline).to.equal(null);
  });

  it('undoes a change, or tells what would follow', async () => {
    await save('/runtemplate/', { id: template, deadline: '08:00' });
    const entry = await newestEntry();
    const tried = await undo(entry, '?dry_run=true');
    expect(tried.status).to.equal(200);
    expect(String(tried.headers['warning'])).to.include(`would update RunTemplate ${template} (deadline)`);
    expect((await get(`/runtemplate/${template}.json`)).json.deadline).to.equal('08:00');
    const { status, json } = await undo(entry);
    expect(status).to.equal(200);
    expect(json).to.deep.equal({
      auditlog_id: entry,
      entity_type: 'RunTemplate',
      entity_id: template,
      changes: { deadline: ['08:00', null] },
    });
    expect((await get(`/runtemplate/${template}.json`)).json.deadline).to.equal(null);
    const again = await undo(entry);
    expect(again.status).to.equal(409);
    expect(again.json.detail).to.include('root has undone it at ');
  });

  it('undoes once for each idempotency key', async () => {
    await save('/runtemplate/', { id: template, deadline: '09:00' });
    const entry = await newestEntry();
    const headers = { 'idempotency-key': 'undo-once' };
    const first = await undo(entry, '', headers);
    const second = await undo(entry, '', headers);
    expect([first.status, second.status]).to.deep.equal([200, 200]);
    expect(second.json).to.deep.equal(first.json);
  });
});
