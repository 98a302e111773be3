import { WorkerLease } from '@horarium/core';
import { expect } from 'chai';
import { ExternalHttpWorld, second } from '../../../support/worlds/external-http-world.ts';

describe('Leases of external attempts', () => {
  let work: ExternalHttpWorld;

  before(async () => {
    work = await new ExternalHttpWorld().start();
  });
  after(() => work.stop());

  it('expire without heartbeats: the attempt is lost, and later reports are refused', async () => {
    const { task, job: id } = await work.owed({ executor_options: { heartbeat_timeout: 60 }, max_attempts: 2 });
    const { ping } = await work.claim(id);
    work.moveSeconds(50);
    expect((await work.service.request(`${ping}&progress=10`)).status).to.equal(200);
    work.moveSeconds(50);
    expect((await work.post('/job/', { id, message: 'still there' })).status).to.equal(200);
    work.moveSeconds(50);
    expect((await work.shown(`/job/${id}.json`)).state).to.equal('running');
    work.moveSeconds(11);
    expect((await work.post('/job/', { id, exit_code: 0 })).status).to.equal(409);
    expect((await work.service.request(ping)).status).to.equal(404);
    const lost = await work.until(`/job/${id}.json`, ({ state }) => state !== 'running');
    expect(lost).to.include({ state: 'lost', reason: 'it sent no heartbeat for 60 s' });
    expect((await work.post('/job/', { id, exit_code: 0 })).status).to.equal(409);
    expect(await work.shown(`/task/${task}.json`)).to.include({ state: 'open', attempts: 1 });
    const [again] = await work.shown(`/jobs.json?task_id=${task}&state=scheduled`);
    await work.claim(again.id);
    await work.post('/job/', { id: again.id, exit_code: 0 });
    expect(await work.shown(`/task/${task}.json`)).to.include({ state: 'fulfilled', attempts: 2 });
  });

  it('do not extend the timeout of the attempt', async () => {
    const { id, ping } = await work.claimed({ timeout: 100, executor_options: { heartbeat_timeout: 60 } });
    for (const _ of [1, 2]) {
      work.moveSeconds(45);
      expect((await work.service.request(ping)).status).to.equal(200);
    }
    work.moveSeconds(11);
    const over = await work.until(`/job/${id}.json`, ({ state }) => state !== 'running');
    expect(over).to.include({ state: 'timed_out', reason: 'it took too long', exit_code: null });
  });

  it('never expire for a template without heartbeat_timeout', async () => {
    const { id } = await work.claimed();
    work.moveSeconds(30 * 24 * 3600);
    expect((await work.post('/job/', { id, exit_code: 0 })).json.state).to.equal('succeeded');
  });

  it('end when the job is cancelled, and its Task with it', async () => {
    const { task, job: id } = await work.owed({ max_attempts: 3 });
    const { ping } = await work.claim(id);
    await work.post('/job/', { id, state: 'cancelled', reason: 'no longer wanted' });
    const ended = await work.until(`/job/${id}.json`, ({ state }) => state !== 'running');
    expect(ended).to.include({ state: 'cancelled', reason: 'no longer wanted' });
    expect((await work.service.request(ping)).status).to.equal(404);
    expect((await work.post('/job/', { id, exit_code: 0 })).status).to.equal(409);
    expect((await work.shown(`/task/${task}.json`)).state).to.equal('cancelled');
  });

  it('block other attempts of the template where overlap is forbid', async () => {
    const id = await work.template({ overlap: 'forbid' });
    const later = { scheduled_at: new Date(work.service.core.clock.now() + 60 * second).toISOString() };
    const [one, two] = [await work.job(id), await work.job(id, later)];
    await work.claim(one);
    work.moveSeconds(61);
    const kept = await work.post('/job/', { id: two, state: 'running' });
    expect([kept.status, kept.json.detail]).to.deep.equal([409, `Job ${two} cannot start while job ${one} runs.`]);
    await work.post('/job/', { id: one, exit_code: 0 });
    await work.claim(two);
  });

  it('end when another attempt replaces theirs, where overlap is replace', async () => {
    const id = await work.template({ overlap: 'replace' });
    const one = await work.claim(await work.job(id));
    work.moveSeconds(1);
    const two = await work.job(id);
    await work.claim(two);
    expect(await work.shown(`/job/${one.id}.json`)).to.include({
      state: 'cancelled',
      reason: `replaced by job ${two}`,
    });
    expect((await work.post('/job/', { id: one.id, exit_code: 0 })).status).to.equal(409);
  });

  it('end when a native attempt replaces theirs, and the other way round', async () => {
    const id = await work.template({ overlap: 'replace' });
    const outside = await work.claim(await work.job(id));
    work.moveSeconds(1);
    const native = await work.job(id, { executor: 'native' });
    const held = await work.service.core.executor.next();
    const replaced = await work.shown(`/job/${outside.id}.json`);
    expect(replaced).to.include({ state: 'cancelled', reason: `replaced by job ${native}` });
    work.moveSeconds(1);
    const next = await work.job(id);
    const early = await work.post('/job/', { id: next, state: 'running' });
    expect([early.status, early.json.detail]).to.deep.equal([
      409,
      `Job ${next} cannot start while job ${native} runs.`,
    ]);
    await work.until(`/job/${native}.json`, ({ state }) => state === 'cancelled');
    expect(held.attempt.jobId).to.equal(native);
    await work.claim(next);
  });

  it('block native attempts of the template, and are blocked by them', async () => {
    const id = await work.template({ overlap: 'forbid' });
    const later = { scheduled_at: new Date(work.service.core.clock.now() + 60 * second).toISOString() };
    const outside = await work.job(id);
    const native = await work.job(id, { executor: 'native', ...later });
    await work.claim(outside);
    work.moveSeconds(61);
    // The worker has polled by the time it starts another job.
    const other = await work.job(await work.template({ executor: 'native' }));
    const started = await work.service.core.executor.next();
    expect(started.attempt.jobId).to.equal(other);
    started.end();
    expect((await work.shown(`/job/${native}.json`)).state).to.equal('scheduled');
    await work.post('/job/', { id: outside, exit_code: 0 });
    const held = await work.service.core.executor.next();
    expect(held.attempt.jobId).to.equal(native);
    held.end();
  });

  it('may be claimed after the window when the Task is caught up', async () => {
    const id = await work.template({ interval: 'hourly', catch_up: 'latest', deadline: '+10m' });
    work.moveSeconds(3 * 3600);
    await work.post(`/runtemplate/${id}.json`, { note: 'look' });
    const caughtUp = (jobs: { trigger: string }[]) => jobs.find(({ trigger }) => trigger === 'catch_up');
    const jobs = await work.until(`/jobs.json?runtemplate_id=${id}`, (list) => caughtUp(list) !== undefined);
    const { id: job, task_id: task } = caughtUp(jobs) as unknown as { id: number; task_id: number };
    work.moveSeconds(24 * 3600);
    await work.claim(job);
    await work.post('/job/', { id: job, exit_code: 0 });
    expect((await work.shown(`/task/${task}.json`)).state).to.equal('fulfilled_late');
  });

  it('are left alone by the workers of the service', async () => {
    const ids = [];
    const own = await work.template();
    for (let count = 0; count < 6; count++) ids.push((await work.claim(await work.job(own))).id);
    const waiting = await work.job(own);
    // More external jobs run than this host has capacity for, and one more waits; a native job starts all the same.
    await work.job(await work.template({ executor: 'native', executor_options: {} }));
    (await work.service.core.executor.next()).end();
    expect((await work.shown(`/job/${waiting}.json`)).state).to.equal('scheduled');
    const workers = await work.service.core.store.read((tables) => tables.of(WorkerLease).find());
    expect(workers.map(({ name }) => name).join()).not.to.include('external');
  });
});

describe('A stopping service', () => {
  it('leaves external attempts running', async () => {
    const work = await new ExternalHttpWorld().start();
    const { id } = await work.claimed({ executor_options: { heartbeat_timeout: 3600 } });
    await work.service.core.stop(0);
    expect((await work.shown(`/job/${id}.json`)).state).to.equal('running');
    expect((await work.post('/job/', { id, exit_code: 0 })).json.state).to.equal('succeeded');
    await work.service.stop();
  });
});
