import { expect } from 'chai';
import { IdempotencyRecord } from '#core/records/idempotency';
import { ExternalHttpWorld } from '../../../support/worlds/external-http-world.ts';

const mask = '••••••••';

describe('External jobs over HTTP', () => {
  let work: ExternalHttpWorld;

  before(async () => {
    work = await new ExternalHttpWorld().start();
  });
  after(() => work.stop());

  it('wait for a claim, whose reply contains the command and the URL for heartbeats', async () => {
    const id = await work.createJob(await work.createTemplate({ environment: { TOKEN: 'horse battery staple' } }));
    const waiting = await work.get('/jobs.json?executor=external&state=scheduled');
    expect(waiting.map((job: { id: number }) => job.id)).to.deep.equal([id]);
    const { status, json } = await work.post('/job/', { id, state: 'running' });
    expect(status).to.equal(200);
    expect(json).to.deep.include({
      state: 'running',
      worker: 'external:root',
      command: 'render',
      arguments: ['--say', 'hello', `--token=${mask}`],
    });
    expect(json.environment).to.include({
      GREETING: 'hello',
      TOKEN: mask,
      HORARIUM_JOB_ID: String(id),
      HORARIUM_COMPANY_CODE: 'acme',
      HORARIUM_PING_URL: mask,
    });
    expect(json.started_at).to.match(/^\d{4}-/);
    expect(json.ping_url).to.equal(`http://localhost/api/v1/ping?job=${id}&key=${work.heartbeatKey(id)}`);
    expect(await work.get(`/job/${id}.json`)).not.to.have.property('ping_url');
  });

  it('accept output, progress and an exit code in reports', async () => {
    const { id } = await work.claimNewJob();
    await work.post(`/job/${id}.json`, { stdout: 'one\n', progress: 40, message: 'rendering' });
    const running = await work.get(`/job/${id}.json`);
    expect(running).to.include({ state: 'running', progress: 40, message: 'rendering', stdout: 'one\n' });
    expect(running.heartbeat_at).to.match(/^\d{4}-/);
    const done = await work.post('/job/', {
      id,
      exit_code: 0,
      stdout: 'two €\n',
      stderr: 'a warning\n',
      progress: null,
    });
    expect(done.json).to.include({ state: 'succeeded', exit_code: 0, progress: null, signal: null });
    const { pieces, complete } = await work.get(`/job/${id}/output.json`);
    expect(
      pieces.map((piece: { seq: number; stream: string; text: string }) => [piece.seq, piece.stream, piece.text]),
    ).to.deep.equal([
      [0, 'stdout', 'one\n'],
      [1, 'stdout', 'two €\n'],
      [2, 'stderr', 'a warning\n'],
    ]);
    expect(complete).to.equal(true);
  });

  it('accept a report as a form', async () => {
    const { id } = await work.claimNewJob();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const { status, json } = await work.post(`/job/?jobId=${id}`, 'exit_code=3&stdout=bye', headers);
    expect([status, json.state, json.exit_code, json.stdout]).to.deep.equal([200, 'failed', 3, 'bye']);
  });

  it('stream their output to a follower while it is reported', async () => {
    const { id } = await work.claimNewJob();
    const followed = work.service.requestAsAdmin(`/job/${id}/output.json?follow=true`);
    await work.post(`/job/${id}.json`, { stdout: 'half\n' });
    await work.post(`/job/${id}.json`, { stdout: 'done\n', exit_code: 0 });
    const { text } = await followed;
    const written = [...text.matchAll(/event: output\ndata: (.+)\n/g)].map(
      ([, data]) => JSON.parse(data as string).text,
    );
    expect(written.join('')).to.equal('half\ndone\n');
    expect(text).to.match(/event: end\ndata: \{\}\n\n$/);
  });

  it('succeed or fail by their exit codes, as native jobs do', async () => {
    const ended = async (report: object) => {
      const { id } = await work.claimNewJob();
      const { json } = await work.post('/job/', { id, ...report });
      return [json.state, json.reason];
    };
    expect(await ended({ exit_code: 4 })).to.deep.equal(['succeeded', null]);
    expect(await ended({ exit_code: 1 })).to.deep.equal(['failed', 'exit code 1']);
    expect(await ended({ exit_code: 1, reason: 'no paper' })).to.deep.equal(['failed', 'no paper']);
    expect(await ended({ signal: 'SIGSEGV' })).to.deep.equal(['failed', 'ended by SIGSEGV']);
  });

  it('fulfil their Task, and the audit log names the actor of each change', async () => {
    const { task, job: id } = await work.openTask();
    expect(await work.get(`/task/${task}.json`)).to.include({ state: 'open', attempts: 0 });
    await work.claim(id);
    expect(await work.get(`/task/${task}.json`)).to.include({ state: 'running', attempts: 1 });
    await work.post('/job/', { id, exit_code: 0 });
    expect(await work.get(`/task/${task}.json`)).to.include({
      state: 'fulfilled',
      fulfilled_by_job_id: id,
      reason: 'succeeded in time, as root reported',
    });
    const entries = await work.get(`/auditlog.json?entity_type=Job&entity_id=${id}&order=id`);
    const changes = entries.map((entry: { actor: string; changes: { state?: unknown } }) => [
      entry.actor,
      entry.changes.state,
    ]);
    expect(changes).to.deep.equal([
      ['scheduler', [null, 'scheduled']],
      ['root', ['scheduled', 'running']],
      ['root', ['running', 'succeeded']],
    ]);
  });

  it('are retried by the rules of their template, except after an exit code that forbids retries', async () => {
    const rules = { max_attempts: 2, retry_backoff: 'none' };
    const retried = await work.openTask(rules);
    await work.claim(retried.job);
    await work.post('/job/', { id: retried.job, exit_code: 1 });
    const [retry] = await work.get(`/jobs.json?task_id=${retried.task}&state=scheduled`);
    expect(retry).to.include({ attempt: 2, trigger: 'retry', executor: 'external' });
    await work.claim(retry.id);
    await work.post('/job/', { id: retry.id, exit_code: 1 });
    expect(await work.get(`/task/${retried.task}.json`)).to.include({ state: 'failed', attempts: 2 });
    const final = await work.openTask(rules);
    await work.claim(final.job);
    await work.post('/job/', { id: final.job, exit_code: 5 });
    expect(await work.get(`/task/${final.task}.json`)).to.include({ state: 'failed', attempts: 1 });
  });

  it('have the heartbeat key, the one secret that the claim hands out, masked in reports and messages', async () => {
    const { id } = await work.claimNewJob();
    const key = work.heartbeatKey(id);
    const secrets = `${Buffer.from(key).toString('hex')}, ${key}`;
    await work.post('/job/', { id, stdout: secrets, stderr: `?key=${key}&x` });
    await work.service.request(`/ping.json?job=${id}&key=${key}&message=${encodeURIComponent(`ping ${secrets}`)}`);
    expect((await work.get(`/job/${id}.json`)).message).to.equal(`ping ${mask}, ${mask}`);
    await work.post('/job/', { id, message: secrets });
    await work.post('/job/', { id, exit_code: 1, reason: secrets });
    const job = await work.get(`/job/${id}.json`);
    expect(job).to.include({ stdout: `${mask}, ${mask}`, stderr: `?key=${mask}&x`, message: `${mask}, ${mask}` });
    expect(job.reason).to.equal(`${mask}, ${mask}`);
  });

  it('replay a claim under the same Idempotency-Key without the heartbeat key', async () => {
    const id = await work.createJob(await work.createTemplate());
    const claim = () => work.post('/job/', { id, state: 'running' }, { 'idempotency-key': `claim-${id}` });
    const [first, replayed] = [await claim(), await claim()];
    expect([first.status, replayed.status]).to.deep.equal([200, 200]);
    expect(first.json).to.have.property('ping_url');
    expect(replayed.json).to.deep.include({ id, state: 'running' }).and.not.to.have.property('ping_url');
    const stored = await work.service.core.store.read((tables) => tables.of(IdempotencyRecord).find());
    const key = work.heartbeatKey(id);
    expect(stored.map(({ body }) => Buffer.from(body as Uint8Array).toString()).join()).not.to.include(key);
  });

  it('apply a report only once when it is sent twice under the same Idempotency-Key', async () => {
    const { id } = await work.claimNewJob();
    for (const _ of [1, 2])
      expect((await work.post('/job/', { id, stdout: 'one\n' }, { 'idempotency-key': 'first-lines' })).status).to.equal(
        200,
      );
    expect((await work.get(`/job/${id}.json`)).stdout).to.equal('one\n');
  });
});
