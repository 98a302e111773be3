import { Job, mask } from '@horarium/core';
import { expect } from 'chai';
import { Heartbeats } from '#core/external/heartbeats';
import { JobWorld } from '../../../support/worlds/job-world.ts';

describe('Jobs over HTTP', () => {
  const world = new JobWorld();
  const { service, post, startJob, pollUntil } = world;
  before(() => world.open());
  after(() => world.close());

  it('shows the last and the next window of a template', () => {
    expect(world.template).to.deep.include({ successful_jobs_count: 0, failed_jobs_count: 0, last_scheduled_at: null });
  });

  it('schedule a job now, which runs and ends', async () => {
    const made = await post('/job/', { runtemplate_id: world.template.id, environment: { GREETING: 'hello' } });
    expect(made.status).to.equal(201);
    expect(made.headers['location']).to.equal(`/api/v1/job/${made.json.id}.json`);
    expect(made.json).to.include({ state: 'scheduled', trigger: 'adhoc', launched_by: 1, task_id: null });
    const started = await service.core.executor.next();
    expect(started.attempt.environment).to.include({ GREETING: 'hello' });
    await started.report.output('stdout', Buffer.from('hello\n'));
    started.end({ exitCode: 0 });
    const done = await pollUntil(`/job/${made.json.id}.json`, (job) => job.state === 'succeeded');
    expect(done).to.include({ exit_code: 0, stdout: 'hello\n', stderr: '' });
    expect(done).not.to.have.any.keys('overrides', 'ping_key_hash', 'queue_at');
    const listed = (await service.requestAsAdmin(`/jobs.json?runtemplate_id=${world.template.id}&state=succeeded`))
      .json;
    expect(listed.map((job: { id: number }) => job.id)).to.deep.equal([made.json.id]);
    expect(listed[0]).not.to.have.any.keys('stdout', 'artifacts');
  });

  it('are audited with the channel of each change, which is system for those of the service itself', async () => {
    const { id, started } = await startJob();
    started.end({ exitCode: 0 });
    await pollUntil(`/job/${id}.json`, (job) => job.state === 'succeeded');
    const { json } = await service.requestAsAdmin(`/auditlog.json?entity_type=Job&entity_id=${id}&order=id`);
    const [created, ...updates] = json.map(
      (entry: { channel: string; actor: string }) => `${entry.channel}: ${entry.actor}`,
    );
    expect(created).to.equal('http: root');
    expect(new Set(updates)).to.deep.equal(new Set(['system: runner']));
    const { components } = (await service.requestAsAdmin('/openapi.json')).json;
    const channels = ['http', 'ui', 'cli', 'embedded', 'system'];
    expect(components.schemas.AuditLog.properties.channel.enum).to.deep.equal(channels);
  });

  it('accept a form', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const made = await post(
      '/job',
      `runtemplate_id=${world.template.id}&scheduled_at=2099-01-01T00%3A00%3A00%2B01%3A00`,
      headers,
    );
    expect([made.status, made.json.scheduled_at]).to.deep.equal([201, '2098-12-31T23:00:00.000Z']);
  });

  it('change and cancel a pending job whose id is in the path, the query or the body', async () => {
    const { json } = await post('/job/', { runtemplate_id: world.template.id, scheduled_at: '2099-01-01T00:00:00Z' });
    const times = ['2099-02-01T00:00:00.000Z', '2099-03-01T00:00:00.000Z', '2099-04-01T00:00:00.000Z'];
    const changed = [
      await post(`/job/${json.id}.json`, { scheduled_at: times[0] }),
      await post(`/job/?jobId=${json.id}`, { scheduled_at: times[1] }),
      await post('/job/', { id: json.id, scheduled_at: times[2] }),
    ];
    expect(changed.map((response) => [response.status, response.json.scheduled_at])).to.deep.equal(
      times.map((time) => [200, time]),
    );
    const cancelled = await post(`/job/${json.id}.json`, { state: 'cancelled', reason: 'no longer wanted' });
    expect([cancelled.status, cancelled.json.state]).to.deep.equal([200, 'cancelled']);
    expect(cancelled.json.reason).to.include('no longer wanted');
    const late = await post(`/job/${json.id}.json`, { scheduled_at: 'now' });
    expect([late.status, late.json.code]).to.deep.equal([409, 'conflict']);
  });

  it('change, claim, report and cancel a job only at the version of If-Match', async () => {
    const made = await post('/job/', { runtemplate_id: world.template.id, scheduled_at: '2099-01-01T00:00:00Z' });
    const path = `/job/${made.json.id}.json`;
    const asking = (body: unknown, headers: Record<string, string>, at = path) =>
      service.requestAsAdmin(at, { method: 'POST', body, headers });
    const etag = String(made.headers['etag']);
    const moved = await asking({ scheduled_at: '2099-02-01T00:00:00Z' }, { 'if-match': etag });
    expect(moved.status).to.equal(200);
    for (const body of [{ scheduled_at: 'now' }, { state: 'cancelled' }, { state: 'running' }, { exit_code: 0 }]) {
      const late = await asking(body, { 'if-match': etag });
      expect([late.status, late.json.code], JSON.stringify(body)).to.deep.equal([412, 'precondition_failed']);
    }
    expect((await service.requestAsAdmin(path)).json).to.deep.equal(moved.json);
    const fresh = { runtemplate_id: world.template.id, scheduled_at: '2099-01-01T00:00:00Z' };
    expect((await asking(fresh, { 'if-match': '*' }, '/job/')).status).to.equal(412);
    expect((await asking({ scheduled_at: 'now' }, { 'if-none-match': '*' })).status).to.equal(412);
    expect((await asking(fresh, { 'if-none-match': '*' }, '/job/')).status).to.equal(201);
    const last = { 'if-match': String(moved.headers['etag']) };
    expect((await asking({ state: 'cancelled' }, last)).json.state).to.equal('cancelled');
  });

  it('show the one-off environment of a pending job, and keep a secret whose mask is sent back', async () => {
    const environment = { GREETING: 'hello', TOKEN: 'horse battery staple' };
    const times = { runtemplate_id: world.template.id, scheduled_at: '2099-01-01T00:00:00Z' };
    const made = await post('/job/', { ...times, environment });
    expect(made.json.environment).to.deep.equal({ GREETING: 'hello', TOKEN: '••••••••' });
    const { id } = made.json;
    const changed = await post('/job/', { id, environment: { ...made.json.environment, GREETING: 'bye' } });
    expect(changed.json.environment).to.deep.equal({ GREETING: 'bye', TOKEN: '••••••••' });
    await post('/job/', { id, scheduled_at: 'now' });
    const started = await service.core.executor.next();
    expect(started.attempt.environment).to.include({ GREETING: 'bye', TOKEN: 'horse battery staple' });
    started.end();
    const moved = await post('/job/', { ...times, id: (await post('/job/', times)).json.id, runtemplate_id: 999 });
    expect([moved.status, moved.json.errors]).to.deep.equal([
      422,
      [{ field: 'runtemplate_id', message: 'runtemplate_id cannot be changed once it is set' }],
    ]);
  });

  it('stop a running job that is cancelled', async () => {
    const { id } = await startJob();
    await post('/job/', { id, state: 'cancelled' });
    const done = await pollUntil(`/job/${id}.json`, (job) => job.state !== 'running');
    expect(done.state).to.equal('cancelled');
  });

  it('delete a job that has ended, and refuse to delete a running one', async () => {
    const { id, started } = await startJob();
    const remove = () => service.requestAsAdmin(`/job/${id}.json`, { method: 'DELETE' });
    const running = await remove();
    expect([running.status, running.json.code]).to.deep.equal([409, 'conflict']);
    started.end();
    await pollUntil(`/job/${id}.json`, (job) => job.state === 'succeeded');
    expect((await remove()).status).to.equal(204);
    expect((await service.requestAsAdmin(`/job/${id}.json`)).status).to.equal(404);
  });

  it('name each invalid field of a job', async () => {
    const refused = async (body: unknown, path = '/job/') => {
      const { status, json } = await post(path, body);
      return [status, ...(json.errors ?? []).map((error: { field: string }) => error.field)];
    };
    expect(await refused({})).to.deep.equal([422, 'runtemplate_id']);
    expect(await refused({ runtemplate_id: 999 })).to.deep.equal([422, 'runtemplate_id']);
    expect(await refused({ runtemplate_id: 'x' })).to.deep.equal([422, 'runtemplate_id']);
    expect(await refused({ runtemplate_id: world.template.id, state: 'running', pid: 1, colour: 'red' })).to.include(
      422,
    );
    const executor = { toString: 'x' };
    expect(await refused({ runtemplate_id: world.template.id, executor })).to.deep.equal([422, 'executor']);
    expect((await service.requestAsAdmin('/job/1/output?after=9007199254740993')).status).to.equal(400);
    expect(await refused({ id: 999_999, state: 'cancelled' })).to.deep.equal([404]);
    expect(await refused({ state: 'cancelled' }, '/job/x.json')).to.deep.equal([400]);
    expect(await refused({ id: 1, state: 'cancelled' }, '/job/2.json')).to.deep.equal([400]);
  });

  it('accept the heartbeat of a running job only with its key', async () => {
    const { id, started } = await startJob();
    const key = service.core.pingKeys.get(id) as string;
    const tick = (query: string) => service.request(`/ping.json?${query}`);
    const entries = async () =>
      (await service.requestAsAdmin(`/auditlog.json?entity_type=Job&entity_id=${id}`)).json.length;
    const before = await entries();
    expect((await tick(`job=${id}&key=${key}&progress=40&message=halfway`)).json.pong).to.equal(true);
    const { json } = await service.requestAsAdmin(`/job/${id}.json`);
    expect(json).to.include({ progress: 40, message: 'halfway' });
    expect(json.heartbeat_at).to.match(/^\d{4}-/);
    expect(JSON.stringify(json)).not.to.include(key);
    expect(await entries()).to.equal(before);
    expect((await tick(`job=${id}&key=wrong`)).status).to.equal(404);
    expect((await tick(`job=999999&key=${key}`)).status).to.equal(404);
    expect((await tick(`job=${id}&key=${key}&message=${'x'.repeat(1001)}`)).status).to.equal(422);
    started.end();
    await pollUntil(`/job/${id}.json`, (job) => job.state === 'succeeded');
    expect((await tick(`job=${id}&key=${key}`)).status).to.equal(404);
  });

  it('mask the secrets of a job, and its key, in the messages of its heartbeats', async () => {
    const values = { PASSWORD: 'tr0ub4dor&3', SHORT: 'x1', BRIEF: 's3cret' };
    const { company_id } = world.template;
    const credential = (await post('/credential/', { name: 'planted', company_id, values })).json.id;
    const environment = { TOKEN: 'horse battery staple' };
    const { app_id } = world.template;
    const fields = { name: 'secret', app_id, company_id, interval: 'none', environment, credentials: [credential] };
    const { id: runtemplate_id } = (await post('/runtemplate/', fields)).json;
    const { id, started } = await startJob({ runtemplate_id });
    const key = service.core.pingKeys.get(id) as string;
    const sent = `${values.PASSWORD} ${environment.TOKEN} ${values.SHORT} ${key} as it was`;
    const tick = (message: string) =>
      service.request(`/ping.json?job=${id}&key=${key}&message=${encodeURIComponent(message)}`);
    expect((await tick(sent)).status).to.equal(200);
    const { message } = (await service.requestAsAdmin(`/job/${id}.json`)).json;
    expect(message).to.equal(`${mask} ${mask} ${values.SHORT} ${mask} as it was`);
    // A mask may be longer than a secret: the stored value fits all the same.
    expect((await tick(`${values.BRIEF} `.repeat(142))).status).to.equal(200);
    expect((await service.requestAsAdmin(`/job/${id}.json`)).json.message).to.have.length(1000);
    started.end();
  });

  it('mask what the attempt was given, whatever the template says since then', async () => {
    const [given, later] = ['horse battery staple', 'a newer password'];
    const { app_id, company_id } = world.template;
    const fields = { name: 'changed', app_id, company_id, interval: 'none', environment: { TOKEN: given } };
    const { id: runtemplate_id } = (await post('/runtemplate/', fields)).json;
    const { id, started } = await startJob({ runtemplate_id });
    await post(`/runtemplate/${runtemplate_id}.json`, { environment: { TOKEN: later } });
    const said = `${given}, ${later}`;
    const shown = `${mask}, ${later}`;
    const key = service.core.pingKeys.get(id) as string;
    await service.request(`/ping.json?job=${id}&key=${key}&message=${encodeURIComponent(said)}`);
    const { store, vault, digests } = service.core;
    const read = async () => (await store.read((tables) => tables.of(Job).find({ where: [['id', '=', id]] })))[0];
    expect((await read())?.message).to.equal(shown);
    // A service that has been started since then knows only what is stored.
    await new Heartbeats({ store, vault, digests }).record(id, key, { message: `again ${said}` });
    expect((await read())?.message).to.equal(`again ${shown}`);
    expect((await read())?.given_secrets)
      .to.be.a('string')
      .and.not.to.include(given);
    await started.report.output('stdout', Buffer.from(said));
    started.end({ exitCode: 1, reason: said });
    const done = await pollUntil(`/job/${id}.json`, (job) => job.state === 'failed');
    expect(done).to.include({ stdout: shown, reason: shown });
    expect((await read())?.given_secrets).to.equal(null);
  });

  it('end with their reason masked, also where it is longer than a slice', async () => {
    const environment = { TOKEN: 'horse battery staple' };
    const { id, started } = await startJob({ environment });
    started.end({ exitCode: 1, reason: `${environment.TOKEN} ${'x'.repeat(300_000)}` });
    const { reason } = await pollUntil(`/job/${id}.json`, (job) => job.state === 'failed');
    expect(reason).to.match(new RegExp(`^${mask} x+$`));
  });
});
