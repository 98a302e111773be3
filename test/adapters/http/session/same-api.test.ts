import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { HttpService } from '../../../support/http/http-service.ts';
import { Page } from '../../../support/http/page.ts';
import { JobWorld } from '../../../support/worlds/job-world.ts';

describe('The API of sessions', () => {
  const world = new JobWorld({ sessions: true });
  const { service, startJob } = world;
  let page: Page;

  before(async () => {
    await world.open();
    page = await new Page(service).open();
  });
  after(() => world.close());

  it('answers what the API answers', async () => {
    for (const path of ['/apps.json', '/runtemplate/1.json', '/tasks.csv', '/app/999999.json', '/apps.json?limit=x']) {
      const headers = { 'x-request-id': 'same' };
      const own = await page.request(path, { headers });
      const plain = await service.requestAsAdmin(path, { headers });
      expect([own.status, own.text], path).to.deep.equal([plain.status, plain.text]);
    }
  });

  it('notes the channel ui in the audit log, beside the user, the address and the id of the request', async () => {
    const { json } = await page.post('/topic/', { name: 'seen' }, { 'x-request-id': 'r-7' });
    const [entry] = (await page.request(`/auditlog.json?entity_type=Topic&entity_id=${json.id}`)).json;
    expect(entry).to.include({ channel: 'ui', actor: 'root', action: 'create', request_id: 'r-7', ip: '127.0.0.1' });
    const job = await page.post('/job/', { runtemplate_id: world.template.id });
    const [run] = (await page.request(`/auditlog.json?entity_type=Job&entity_id=${job.json.id}&action=create`)).json;
    expect(run).to.include({ channel: 'ui', actor: 'root' });
    const [session] = (await page.request('/auditlog.json?entity_type=Token')).json;
    expect(session).to.include({ action: 'create', channel: 'ui', actor: 'root' });
    (await service.core.executor.next()).end();
  });

  it('replays idempotent requests, refuses changes of an older version, and makes dry runs', async () => {
    const key = { 'idempotency-key': 'of-a-page' };
    const first = await page.post('/topic/', { name: 'once' }, key);
    const again = await page.post('/topic/', { name: 'once' }, key);
    expect([first.status, again.status, again.headers['idempotency-replayed']]).to.deep.equal([201, 201, 'true']);
    expect(again.json.id).to.equal(first.json.id);
    const path = `/topic/${first.json.id}.json`;
    expect((await page.post(path, { name: 'late' }, { 'if-match': '"v0"' })).status).to.equal(412);
    expect((await page.post(`${path}?dry_run=true`, { name: 'tried' })).json.name).to.equal('tried');
    expect((await page.request(path)).json.name).to.equal('once');
    const etag = (await page.request(path)).headers['etag'] as string;
    expect((await page.request(path, { headers: { 'if-none-match': etag } })).status).to.equal(304);
  });

  it('streams output no longer than the session lasts', async () => {
    const { id, started } = await startJob();
    const follower = await new Page(service).open();
    const headers = { cookie: follower.cookie as string, 'sec-fetch-site': 'same-origin' };
    const request = get(`${service.url}/console/api/job/${id}/output.json?follow=true`, { headers, agent: false });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    expect([response.statusCode, response.headers['content-type']]).to.deep.equal([200, 'text/event-stream']);
    let text = '';
    response.on('data', (piece) => {
      text += piece;
    });
    await started.report.output('stdout', new TextEncoder().encode('before\n'));
    while (!text.includes('before')) await once(response, 'data');
    expect((await follower.request('/session', { method: 'DELETE' })).status).to.equal(204);
    await started.report.output('stdout', new TextEncoder().encode('after\n'));
    await once(response, 'end');
    expect(text).to.not.match(/after|event: end/);
    started.end();
  });

  it('shares the limit of requests with the tokens of the user', async () => {
    const limited = await new HttpService({ sessions: true, maxRequestsPerSecond: 1 }).start();
    limited.core.clock.stop();
    await limited.core.addUser('eva', 'correct horse stable', 'viewer');
    const own = new Page(limited);
    await own.signIn('eva', 'correct horse stable');
    const headers = { authorization: `Bearer ${(await limited.core.createToken('eva')).secret}` };
    for (let sent = 0; sent < 5; sent++) expect(await own.status()).to.equal(200);
    for (let sent = 0; sent < 5; sent++) expect((await limited.request('/status', { headers })).status).to.equal(200);
    expect(await own.status()).to.equal(429);
    await limited.stop();
  });
});
