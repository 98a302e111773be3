import type { Format, Route } from '@horarium/core';
import { expect } from 'chai';
import { HttpService } from '../../../support/http/http-service.ts';
import { permissiveRouteShape } from '../../../support/http/permissive-route-shape.ts';

describe('Idempotency keys over HTTP', () => {
  let service: HttpService;
  let key = 0;
  const post = (path: string, body: unknown, headers = {}) =>
    service.requestAsAdmin(path, { method: 'POST', body, headers });
  const fresh = () => ({ 'idempotency-key': `key-${++key}` });
  const topics = async () =>
    (await service.requestAsAdmin('/topics.json')).json.map((topic: { name: string }) => topic.name);

  /** A change that waits until the test releases it. */
  let begun: () => void = () => undefined;
  let release: Promise<void> = Promise.resolve();
  const slow: Route = {
    method: 'POST',
    path: '/slow/',
    summary: 'Save a topic slowly',
    authentication: 'required',
    shape: permissiveRouteShape('saveSlowly'),
    handle: async (context) => {
      begun();
      await release;
      return context.inTransaction(async (tables) => {
        const { id } = await context.core.records('Topic').saveIn(tables, context.actor, { name: 'slow' });
        return { value: { id } };
      });
    },
  };

  /** A format that counts what it writes. */
  let written = 0;
  const counting: Format = {
    suffix: 'counted',
    mime: 'text/plain',
    write: (value) => `${++written}: ${JSON.stringify(value)}`,
  };

  beforeEach(async () => {
    written = 0;
    service = await new HttpService({ extraRoutes: [slow], extraFormats: [counting] }).start();
  });
  afterEach(() => service.stop());

  it('replay the response to a POST that is sent again, which changes nothing', async () => {
    const headers = fresh();
    const first = await post('/topic/', { name: 'a' }, headers);
    await post(`/topic/${first.json.id}.json`, { name: 'b' });
    const again = await post('/topic', { name: 'a' }, headers);
    expect([again.status, again.text]).to.deep.equal([201, first.text]);
    for (const header of ['etag', 'location', 'content-type'])
      expect(again.headers[header], header).to.equal(first.headers[header]);
    expect(first.headers).not.to.have.property('idempotency-replayed');
    expect(again.headers).to.include({ 'idempotency-replayed': 'true' });
    expect(again.headers['x-request-id']).not.to.equal(first.headers['x-request-id']);
    expect(await topics()).to.deep.equal(['b']);
  });

  it('have each response written by its format once: the bytes that are stored are those that are sent', async () => {
    const { json } = await post('/topic/', { name: 'a' });
    const headers = fresh();
    const first = await post(`/topic/${json.id}.counted`, { name: 'b' }, headers);
    expect([first.status, first.text.slice(0, 2), written]).to.deep.equal([200, '1:', 1]);
    const again = await post(`/topic/${json.id}.counted`, { name: 'b' }, headers);
    expect([again.text, written]).to.deep.equal([first.text, 1]);
  });

  it('work for jobs, roles and memberships', async () => {
    const app = (await post('/app/', { name: 'A', executable: 'true' })).json;
    const company = (await post('/company/', { code: 'c', name: 'C' })).json;
    const fields = { name: 'T', app_id: app.id, company_id: company.id, interval: 'none' };
    const template = (await post('/runtemplate/', fields)).json;
    const twice = async (path: string, body: unknown) => {
      const headers = fresh();
      const [first, again] = [await post(path, body, headers), await post(path, body, headers)];
      expect(again.headers['idempotency-replayed'], path).to.equal('true');
      expect([again.status, again.text]).to.deep.equal([first.status, first.text]);
      return first.json;
    };
    const at = '2099-01-01T00:00:00Z';
    const job = await twice('/job/', { runtemplate_id: template.id, scheduled_at: at });
    expect((await service.requestAsAdmin('/jobs.json')).json).to.have.length(1);
    await twice(`/job/${job.id}.json`, { scheduled_at: '2099-02-01T00:00:00Z' });
    expect((await twice('/job/', { id: job.id, state: 'cancelled' })).state).to.equal('cancelled');
    const id = await service.core.addUser('eva', 'a long enough one', 'viewer');
    await twice(`/user/${id}/roles/`, { roles: ['editor'] });
    await twice(`/company/${company.id}/user/`, { user_id: id });
  });

  it('are scoped to the user, the path and the suffix', async () => {
    const headers = fresh();
    await post('/topic/', { name: 'a' }, headers);
    expect((await post('/credential_type/', { name: 'a', code: 'a' }, headers)).status).to.equal(201);
    await service.core.addUser('other', 'a long enough one', 'editor');
    const authorization = `Bearer ${(await service.core.createToken('other')).secret}`;
    expect((await post('/topic/', { name: 'b' }, { ...headers, authorization })).status).to.equal(201);
  });

  it('are refused with 409 for another body or another query', async () => {
    const headers = fresh();
    const { json } = await post('/topic/', { name: 'a' }, headers);
    const others = [
      await post('/topic/', { name: 'b' }, headers),
      await post(`/topic/?topicId=${json.id}`, { name: 'a' }, headers),
    ];
    for (const response of others) expect([response.status, response.json.code]).to.deep.equal([409, 'conflict']);
    expect(await topics()).to.deep.equal(['a']);
  });

  it('are refused with 409 while the first request is in flight', async () => {
    const headers = fresh();
    let go: () => void = () => undefined;
    release = new Promise((resolve) => {
      go = resolve;
    });
    const started = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const first = post('/slow/', {}, headers);
    await started;
    expect((await post('/slow/', {}, headers)).status).to.equal(409);
    go();
    expect((await first).status).to.equal(200);
    expect((await post('/slow/', {}, headers)).text).to.equal((await first).text);
  });

  it('replay the response of an equal request that another host carried out meanwhile', async () => {
    const otherHost = new HttpService({ core: service.core, extraRoutes: [slow] });
    otherHost.url = await otherHost.server.listen(0, '127.0.0.1');
    const sent = { method: 'POST', body: {}, headers: { ...fresh(), authorization: service.admin } };
    let go: () => void = () => undefined;
    release = new Promise((resolve) => {
      go = resolve;
    });
    const started = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const delayed = service.request('/slow/', sent);
    await started;
    release = Promise.resolve();
    const first = await otherHost.request('/slow/', sent);
    go();
    expect([first.status, first.headers['idempotency-replayed']]).to.deep.equal([200, undefined]);
    const { status, text, headers } = await delayed;
    expect([status, text, headers['idempotency-replayed']]).to.deep.equal([200, first.text, 'true']);
    await otherHost.server.close(1000);
  });

  it('store no errors: a request that failed is carried out when it is sent again', async () => {
    const wrong = fresh();
    expect((await post('/topic/', { name: 'a', color: 'no colour' }, wrong)).status).to.equal(422);
    expect((await post('/topic/', { name: 'a', color: '#ff0000' }, wrong)).status).to.equal(201);
    const missing = fresh();
    expect((await post('/topic/7.json', { name: 'a' }, missing)).status).to.equal(404);
    for (let n = 0; n < 7; n++) await post('/topic/', { name: `topic ${n}` });
    expect((await post('/topic/7.json', { name: 'b' }, missing)).status).to.equal(200);
  });

  it('authorise before they replay, and store neither 401, 403 nor 503', async () => {
    const id = await service.core.addUser('eva', 'a long enough one', 'viewer');
    const authorization = `Bearer ${(await service.core.createToken('eva')).secret}`;
    const headers = { ...fresh(), authorization };
    expect((await post('/topic/', { name: 'a' }, headers)).status).to.equal(403);
    await post(`/user/${id}/roles/`, { roles: ['editor'] });
    service.core.database.broken = true;
    expect((await post('/topic/', { name: 'a' }, headers)).status).to.equal(503);
    service.core.database.broken = false;
    expect((await post('/topic/', { name: 'a' }, headers)).status).to.equal(201);
    await post(`/user/${id}/roles/`, { roles: ['viewer'] });
    expect((await post('/topic/', { name: 'a' }, headers)).status).to.equal(403);
    expect((await post('/topic/', { name: 'a' }, { ...headers, authorization: 'Bearer hor_x' })).status).to.equal(401);
  });

  it('expire after a day', async () => {
    const headers = fresh();
    await post('/topic/', { name: 'a' }, headers);
    service.core.clock.advance(24 * 3_600_000);
    const again = await post('/topic/', { name: 'a' }, headers);
    expect([again.status, again.headers['idempotency-replayed']]).to.deep.equal([200, undefined]);
  });

  it('must be visible ASCII, and are ignored by login and ping', async () => {
    for (const wrong of ['', 'a b', 'é', 'x'.repeat(256)])
      expect((await post('/topic/', { name: 'a' }, { 'idempotency-key': wrong })).status, wrong).to.equal(400);
    const headers = { ...fresh(), authorization: [] };
    const login = async (password: string) =>
      (await service.request('/login', { method: 'POST', body: { login: 'root', password }, headers })).status;
    expect([await login('wrong one'), await login('correct horse battery')]).to.deep.equal([401, 200]);
    expect((await service.request('/ping', { headers })).status).to.equal(200);
  });
});
