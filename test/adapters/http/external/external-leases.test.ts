import { WorkerLease } from '@horarium/core';
import { expect } from 'chai';
import { ExternalHttpWorld } from '../../../support/worlds/external-http-world.ts';

describe('External attempts', () => {
  let work: ExternalHttpWorld;

  before(async () => {
    work = await new ExternalHttpWorld().start();
  });
  after(() => work.stop());

  const inOneMinute = () => ({ scheduled_at: new Date(work.service.core.clock.now() + 60_000).toISOString() });

  it('are lost and retried when their lease expires without a heartbeat or report', async () => {
    const { task, job: id } = await work.openTask({ executor_options: { heartbeat_timeout: 60 }, max_attempts: 2 });
    const { heartbeatPath } = await work.claim(id);
    work.moveSeconds(50);
    expect((await work.service.request(`${heartbeatPath}&progress=10`)).status).to.equal(200);
    work.moveSeconds(50);
    expect((await work.post('/job/', { id, message: 'still there' })).status).to.equal(200);
    work.moveSeconds(50);
    expect((await work.get(`/job/${id}.json`)).state).to.equal('running');
    work.moveSeconds(11);
    expect((await work.post('/job/', { id, exit_code: 0 })).status).to.equal(409);
    expect((await work.service.request(heartbeatPath)).status).to.equal(404);
    const lost = await work.poll(`/job/${id}.json`, ({ state }) => state !== 'running');
    expect(lost).to.include({ state: 'lost', reason: 'it sent no heartbeat for 60 s' });
    expect((await work.post('/job/', { id, exit_code: 0 })).status).to.equal(409);
    expect(await work.get(`/task/${task}.json`)).to.include({ state: 'open', attempts: 1 });
    const [retry] = await work.get(`/jobs.json?task_id=${task}&state=scheduled`);
    await work.claim(retry.id);
    await work.post('/job/', { id: retry.id, exit_code: 0 });
    expect(await work.get(`/task/${task}.json`)).to.include({ state: 'fulfilled', attempts: 2 });
  });

  it('time out although heartbeats renew their lease', async () => {
    const fields = { timeout: 100, executor_options: { heartbeat_timeout: 60 } };
    const { id, heartbeatPath } = await work.claimNewJob(fields);
    for (const _ of [1, 2]) {
      work.moveSeconds(45);
      expect((await work.service.request(heartbeatPath)).status).to.equal(200);
    }
    work.moveSeconds(11);
    const ended = await work.poll(`/job/${id}.json`, ({ state }) => state !== 'running');
    expect(ended).to.include({ state: 'timed_out', reason: 'it took too long', exit_code: null });
  });

  it('are never lost where their template sets no heartbeat_timeout', async () => {
    const { id } = await work.claimNewJob();
    work.moveSeconds(30 * 24 * 3600);
    expect((await work.post('/job/', { id, exit_code: 0 })).json.state).to.equal('succeeded');
  });

  it('end when their job is cancelled, which cancels its Task as well', async () => {
    const { task, job: id } = await work.openTask({ max_attempts: 3 });
    const { heartbeatPath } = await work.claim(id);
    await work.post('/job/', { id, state: 'cancelled', reason: 'no longer wanted' });
    const ended = await work.poll(`/job/${id}.json`, ({ state }) => state !== 'running');
    expect(ended).to.include({ state: 'cancelled', reason: 'no longer wanted' });
    expect((await work.service.request(heartbeatPath)).status).to.equal(404);
    expect((await work.post('/job/', { id, exit_code: 0 })).status).to.equal(409);
    expect((await work.get(`/task/${task}.json`)).state).to.equal('cancelled');
  });

  it('block later attempts of their template where overlap is forbid', async () => {
    const template = await work.createTemplate({ overlap: 'forbid' });
    const first = await work.createJob(template);
    const second = await work.createJob(template, inOneMinute());
    await work.claim(first);
    work.moveSeconds(61);
    const blocked = await work.post('/job/', { id: second, state: 'running' });
    expect([blocked.status, blocked.json.detail]).to.deep.equal([
      409,
      `Job ${second} cannot start while job ${first} runs.`,
    ]);
    await work.post('/job/', { id: first, exit_code: 0 });
    await work.claim(second);
  });

  it('are cancelled by a later attempt of their template where overlap is replace', async () => {
    const template = await work.createTemplate({ overlap: 'replace' });
    const first = await work.claim(await work.createJob(template));
    work.moveSeconds(1);
    const second = await work.createJob(template);
    await work.claim(second);
    expect(await work.get(`/job/${first.id}.json`)).to.include({
      state: 'cancelled',
      reason: `replaced by job ${second}`,
    });
    expect((await work.post('/job/', { id: first.id, exit_code: 0 })).status).to.equal(409);
  });

  it('are replaced by a native attempt, and start after the native one that they replace has ended', async () => {
    const template = await work.createTemplate({ overlap: 'replace' });
    const external = await work.claim(await work.createJob(template));
    work.moveSeconds(1);
    const native = await work.createJob(template, { executor: 'native' });
    const started = await work.service.core.executor.next();
    const replaced = await work.get(`/job/${external.id}.json`);
    expect(replaced).to.include({ state: 'cancelled', reason: `replaced by job ${native}` });
    work.moveSeconds(1);
    const next = await work.createJob(template);
    const blocked = await work.post('/job/', { id: next, state: 'running' });
    expect([blocked.status, blocked.json.detail]).to.deep.equal([
      409,
      `Job ${next} cannot start while job ${native} runs.`,
    ]);
    await work.poll(`/job/${native}.json`, ({ state }) => state === 'cancelled');
    expect(started.attempt.jobId).to.equal(native);
    await work.claim(next);
  });

  it('block native attempts of their template, and are blocked by them, where overlap is forbid', async () => {
    const template = await work.createTemplate({ overlap: 'forbid' });
    const external = await work.createJob(template);
    const native = await work.createJob(template, { executor: 'native', ...inOneMinute() });
    const next = await work.createJob(template, inOneMinute());
    await work.claim(external);
    work.moveSeconds(61);
    // A native job of another template shows that the worker has polled since: it would have started both.
    const other = await work.createJob(await work.createTemplate({ executor: 'native' }));
    const unblocked = await work.service.core.executor.next();
    expect(unblocked.attempt.jobId).to.equal(other);
    unblocked.end();
    expect((await work.get(`/job/${native}.json`)).state).to.equal('scheduled');
    await work.post('/job/', { id: external, exit_code: 0 });
    const started = await work.service.core.executor.next();
    expect(started.attempt.jobId).to.equal(native);
    const blocked = await work.post('/job/', { id: next, state: 'running' });
    expect([blocked.status, blocked.json.detail]).to.deep.equal([
      409,
      `Job ${next} cannot start while job ${native} runs.`,
    ]);
    started.end();
  });

  it('may start after the end of their window when they catch up', async () => {
    const template = await work.createTemplate({ interval: 'hourly', catch_up: 'latest', deadline: '+10m' });
    work.moveSeconds(3 * 3600);
    await work.wakeScheduler(template);
    const isCatchUp = ({ trigger }: { trigger: string }) => trigger === 'catch_up';
    const jobs = await work.poll(`/jobs.json?runtemplate_id=${template}`, (list) => list.some(isCatchUp));
    const { id: job, task_id: task } = jobs.find(isCatchUp);
    work.moveSeconds(24 * 3600);
    await work.claim(job);
    await work.post('/job/', { id: job, exit_code: 0 });
    expect((await work.get(`/task/${task}.json`)).state).to.equal('fulfilled_late');
  });

  it('use no capacity and no lease of the workers of the service', async () => {
    const template = await work.createTemplate();
    const moreThanCapacity = 6;
    for (let count = 0; count < moreThanCapacity; count++) await work.claim(await work.createJob(template));
    const unclaimed = await work.createJob(template);
    await work.createJob(await work.createTemplate({ executor: 'native', executor_options: {} }));
    (await work.service.core.executor.next()).end();
    expect((await work.get(`/job/${unclaimed}.json`)).state).to.equal('scheduled');
    const workers = await work.service.core.store.read((tables) => tables.of(WorkerLease).find());
    expect(workers.map(({ name }) => name).join()).not.to.include('external');
  });
});

describe('A stopping service', () => {
  it('leaves external attempts running', async () => {
    const work = await new ExternalHttpWorld().start();
    const { id } = await work.claimNewJob({ executor_options: { heartbeat_timeout: 3600 } });
    await work.service.core.stop(0);
    expect((await work.get(`/job/${id}.json`)).state).to.equal('running');
    expect((await work.post('/job/', { id, exit_code: 0 })).json.state).to.equal('succeeded');
    await work.service.stop();
  });
});
