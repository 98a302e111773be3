import { AuditLog, CompanyUser, trustedActor } from '@horarium/core';
import { expect } from 'chai';
import { EventStream } from '../../../support/http/event-stream.ts';
import { adminPassword, HttpService } from '../../../support/http/http-service.ts';
import { Page } from '../../../support/http/page.ts';
import { eventually } from '../../../support/mocha/eventually.ts';

const me = trustedActor('test');

describe('The changes of records over HTTP', () => {
  let service: HttpService;
  before(async () => {
    service = await new HttpService().start();
    await service.core.start();
  });
  after(async () => {
    await service.core.stop();
    await service.stop();
  });

  const open = (search = '', headers: Readonly<Record<string, string>> = { authorization: service.admin }) =>
    EventStream.open(`${service.url}/api/v1/changes${search}`, headers);
  const openReady = async (...parameters: Parameters<typeof open>) => {
    const stream = await open(...parameters);
    await stream.waitFor(({ events }) => events.length > 0);
    return stream;
  };
  let companies = 0;
  const saveCompany = () => service.core.companies.save(me, { code: `c${++companies}`, name: 'A company' });

  it('are sent as they are made, after an event that says that none is missed from now on', async () => {
    await using stream = await openReady();
    expect(stream.response.headers).to.include({ 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    expect(stream.text).to.match(/^retry: 1000\nevent: ready\ndata: \{\}\n\n/);
    const body = { code: 'acme', name: 'Acme' };
    const { json } = await service.requestAsAdmin('/company/', { method: 'POST', body });
    await stream.waitFor(({ events }) => events.some(({ name }) => name === 'change'));
    const change = stream.events.find(({ name }) => name === 'change')?.data;
    expect(change).to.deep.include({
      action: 'create',
      entity_type: 'Company',
      entity_id: json.id,
      company_id: json.id,
    });
    expect(change.created_at).to.match(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(change.fields).to.include.members(['code', 'name']);
    expect(JSON.stringify(change)).not.to.include('acme');
    const { statusCode: status = 0, headers } = stream.response;
    service.openApiCheck.check({ method: 'GET', path: '/api/v1/changes' }, { status, headers, text: stream.text });
  });

  it('go on where the client was when it connects again', async () => {
    await saveCompany();
    const unsealed = [['seq', '=', null]] as const;
    await eventually('the change is sealed', () =>
      service.core.store.read(async (tables) => (await tables.of(AuditLog).count(unsealed)) === 0),
    );
    const id = await openReady().then(async (stream) => {
      await stream[Symbol.asyncDispose]();
      return stream.lastId as string;
    });
    const missed = await saveCompany();
    const idsOf = (stream: EventStream) =>
      stream.events.filter(({ name }) => name === 'change').map(({ data }) => data.entity_id);
    const headers = { authorization: service.admin, 'last-event-id': id };
    await using resumed = await open('?entity_type=Company', headers);
    await resumed.waitFor((stream) => idsOf(stream).includes(missed.id));
    await using named = await open(`?entity_type=Company&after=${id}`);
    await named.waitFor((stream) => idsOf(stream).includes(missed.id));
    // The URL of a browser stays as it is when it connects again.
    await using again = await open('?entity_type=Company&after=0', headers);
    await again.waitFor((stream) => idsOf(stream).includes(missed.id));
    expect(idsOf(again)).to.deep.equal([missed.id]);
    expect(resumed.events.some(({ name }) => name === 'reset')).to.equal(false);
    expect(idsOf(resumed)).to.deep.equal([missed.id]);
  });

  it('are left out, and the client is sent a reset, if it was away for too long', async () => {
    await using stream = await open('', { authorization: service.admin, 'last-event-id': '999999' });
    await stream.waitFor(({ events }) => events.some(({ name }) => name === 'reset'));
  });

  it('are only of the kinds that are asked for', async () => {
    await using stream = await openReady('?entity_type=App,%20User');
    await saveCompany();
    await service.core.apps.save(me, { name: 'a', executable: '/bin/a' });
    await stream.waitFor(({ events }) => events.some(({ name }) => name === 'change'));
    expect(stream.events.filter(({ name }) => name === 'change')[0]?.data.entity_type).to.equal('App');
  });

  it('are refused with 400 for a kind that does not exist or an id that is none, and with 401 without credentials', async () => {
    const unknown = await service.requestAsAdmin('/changes?entity_type=Company,Aps');
    expect([unknown.status, unknown.json.detail]).to.deep.equal([400, 'There is no resource "Aps". Did you mean App?']);
    const wrong = await service.requestAsAdmin('/changes?after=-1');
    expect([wrong.status, wrong.json.detail]).to.deep.equal([400, 'after must be a whole number, not "-1".']);
    expect((await service.request('/changes')).status).to.equal(401);
    expect((await service.requestAsAdmin('/changes', { method: 'POST' })).status).to.equal(405);
  });

  it('are sent no longer than the client’s credentials are valid', async () => {
    const body = { login: 'root', password: adminPassword };
    const { access_token } = (await service.request('/login.json', { method: 'POST', body })).json;
    const headers = { authorization: `Bearer ${access_token}` };
    await using stream = await openReady('', headers);
    expect((await service.request('/logout', { method: 'POST', headers })).status).to.equal(204);
    await stream.ended();
    await using again = await open('', headers);
    expect(again.response.statusCode).to.equal(401);
  });

  it('are sent to a page by the cookie of its session, until it signs out', async () => {
    const paged = await new HttpService({ sessions: true }).start();
    try {
      const page = await new Page(paged).open();
      const url = `${paged.url}/console/api/changes`;
      await using stream = await EventStream.open(url, { cookie: page.cookie ?? '', 'sec-fetch-site': 'same-origin' });
      await stream.waitFor(({ events }) => events.length > 0);
      expect((await page.request('/session', { method: 'DELETE' })).status).to.equal(204);
      await stream.ended();
    } finally {
      await paged.stop();
      await paged.core.stop();
    }
  });

  it('are those that the client may see', async () => {
    const [own, other] = [await saveCompany(), await saveCompany()];
    const user_id = await service.core.addUser('mary', adminPassword, null);
    await service.core.records(CompanyUser).save(me, { user_id, company_id: own.id, role: 'viewer' });
    const { secret } = await service.core.createToken('mary');
    await using stream = await openReady('', { authorization: `Bearer ${secret}` });
    for (const { id } of [other, own]) await service.core.companies.save(me, { name: 'Another name' }, { id });
    await stream.waitFor(({ events }) => events.some(({ name }) => name === 'change'));
    expect(stream.events.filter(({ name }) => name === 'change').map(({ data }) => data.entity_id)).to.deep.equal([
      own.id,
    ]);
  });

  it('end with the service', async () => {
    const stopping = await new HttpService().start();
    await using stream = await EventStream.open(`${stopping.url}/api/v1/changes`, { authorization: stopping.admin });
    await stream.waitFor(({ events }) => events.length > 0);
    await stopping.stop();
    await stream.ended();
    await stopping.core.stop();
  });
});
