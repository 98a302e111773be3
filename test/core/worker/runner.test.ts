import { App, type AttemptResult, type Executor, Job as JobTable } from '@horarium/core';
import { expect } from 'chai';
import { Registry } from '#core/registry/registry';
import { newRow } from '#core/store/table';
import { LeaseGuard } from '#core/worker/lease/lease-guard';
import { BreakableStore } from '../../support/store/breakable-store.ts';
import { expectUnavailable, RunnerWorld, runUntilIdle } from '../../support/worlds/runner-world.ts';

describe('Runner', () => {
  let world: RunnerWorld;

  beforeEach(() => {
    world = new RunnerWorld();
  });

  it('runs due jobs and records their results', async () => {
    const runner = await world.startFirstJob();
    expect([world.executor.started, runner.worker.running]).to.deep.equal([[1], [1]]);
    expect(await world.job(1)).to.include({ state: 'running', worker: runner.worker.epoch.name, attempt: 1 });
    expect(await world.task(1)).to.include({ state: 'running', attempts: 1 });
    await world.time.pass(1500);
    await world.executor.end(1);
    await runUntilIdle(runner);
    expect(await world.job(1)).to.include({ state: 'succeeded', exit_code: 0, finished_at: world.time.now });
    expect(await world.task(1)).to.include({ state: 'fulfilled', fulfilled_by_job_id: 1 });
  });

  it('keeps the peak memory of an attempt with its job, where the executor measured it', async () => {
    const runner = await world.startFirstJob();
    await world.executor.end(1, 0, { peakMemory: 12_582_912 });
    await runUntilIdle(runner);
    expect(await world.job(1)).to.include({ state: 'succeeded', peak_memory: 12_582_912 });
  });

  it('records the latest progress of a job, at most once a second, and the last one with its end', async () => {
    const runner = await world.startFirstJob();
    world.executor.progress(1, 39.9, 'first');
    world.executor.progress(1, 40, 'second');
    await runUntilIdle(runner);
    expect(await world.job(1)).to.include({ progress: 40, message: 'second', heartbeat_at: world.time.now });
    await world.time.pass(400);
    world.executor.progress(1, 41);
    await runUntilIdle(runner);
    expect(await world.job(1)).to.include({ progress: 40 });
    await world.time.pass(600);
    await runUntilIdle(runner);
    expect(await world.job(1)).to.include({ progress: 41, message: null, heartbeat_at: world.time.now });
    world.executor.progress(1, 1e9, 'x'.repeat(2000));
    await world.executor.end(1);
    await runUntilIdle(runner);
    expect(await world.job(1)).to.include({ state: 'succeeded', progress: 100, message: 'x'.repeat(1000) });
  });

  it('runs the app that the template has when the job starts', async () => {
    const { id, app_id } = await world.template({ delay: 60 });
    await world.schedule();
    const app = newRow(App, { name: 'other', executable: 'other', uuid: '00000000-0000-4000-8000-000000000002' });
    const [other] = await world.audited.transaction(world.actor, (tables) => tables.of(App).insert([app]));
    await world.edit(id, { app_id: other as number });
    expect((await world.job(1)).app_id).to.equal(app_id);
    await world.time.pass(60_000);
    await runUntilIdle(world.worker());
    expect(await world.job(1)).to.include({ state: 'running', app_id: other });
  });

  it('debounces longer the more jobs run, and not at all when none runs', async () => {
    for (let count = 0; count < 10; count += 1) await world.template({});
    const runner = world.worker();
    expect(runner.debounce).to.equal(0);
    await world.schedule();
    await runUntilIdle(runner);
    expect([runner.worker.running.length, runner.debounce]).to.deep.equal([10, 10]);
    for (let job = 1; job <= 7; job += 1) await world.executor.end(job);
    expect(runner.debounce).to.equal(3);
    for (let job = 8; job <= 10; job += 1) await world.executor.end(job);
    expect([runner.worker.running.length, runner.debounce]).to.deep.equal([10, 0]);
  });

  it('claims jobs in a new epoch only after the attempts of the last one have ended, and sends those no keep-alive', async () => {
    await world.template({ max_attempts: 3 });
    const connection = new BreakableStore(world.store);
    const runner = world.worker(connection);
    const first = runner.worker.epoch.name;
    await world.schedule();
    await runUntilIdle(runner);
    connection.broken = true;
    await world.time.pass(7000);
    await new LeaseGuard(runner.worker).tick();
    expect(world.executor.stops.get(1)).to.equal('the worker’s lease ran out');
    expect(runner.worker.running).to.deep.equal([]);
    expect(runner.worker.epoch.name).not.to.equal(first);
    connection.broken = false;
    const keepAlives = world.executor.keepAlives.length;
    await world.time.pass(4000);
    await world.reaper.tick();
    expect((await world.job(1)).state).to.equal('lost');
    await runner.tick();
    expect([world.executor.started, world.executor.keepAlives.length]).to.deep.equal([[1], keepAlives]);
    await world.executor.end(1);
    await runUntilIdle(runner);
    expect(world.executor.started).to.deep.equal([1, 2]);
    expect(await world.job(2)).to.include({ state: 'running', trigger: 'retry', worker: runner.worker.epoch.name });
  });

  it('tells the executors with each renewal how long the lease lets their attempts run', async () => {
    const runner = await world.startFirstJob({});
    const before = world.executor.keepAlives.length;
    await world.time.pass(3000);
    await runUntilIdle(runner);
    expect(world.executor.keepAlives.slice(before)).to.deep.equal([7000]);
  });

  it('reports a lost lease with the jobs that it abandons, and with none when none ran', async () => {
    const runner = await world.startFirstJob();
    await world.time.pass(7000);
    await new LeaseGuard(runner.worker).tick();
    expect(world.lostLeases).to.deep.equal([[1]]);
    await world.executor.end(1);
    await runUntilIdle(runner);
    await world.time.pass(10_000);
    await runUntilIdle(runner);
    expect(world.lostLeases).to.deep.equal([[1], []]);
  });

  it('claims jobs again after a lost lease even if an abandoned job still waits to write its output', async () => {
    await world.template({ max_attempts: 2 });
    const started: number[] = [];
    const verbose: Executor = {
      name: 'native',
      options: {},
      start({ jobId }, report) {
        started.push(jobId);
        const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
        const run = async (): Promise<AttemptResult> => {
          await report.output('stdout', new Uint8Array(1024 * 1024));
          await stopped;
          return { exitCode: null, signal: 'SIGTERM', timedOut: false, reason: null, finishedAt: 0, files: [] };
        };
        return { done: run(), stop: () => stop() };
      },
    };
    const connection = new BreakableStore(world.store);
    const runner = world.runner(verbose, connection);
    await world.schedule();
    await runner.tick();
    connection.broken = true;
    await world.time.pass(7000);
    await new LeaseGuard(runner.worker).tick();
    connection.broken = false;
    await world.time.pass(4000);
    await world.reaper.tick();
    await runUntilIdle(runner);
    expect(started).to.deep.equal([1, 2]);
  });

  for (const [moment, resource] of [
    ['before the claim', JobTable],
    ['while claimed jobs are prepared', App],
  ] as const)
    it(`leaves jobs scheduled when the store hangs ${moment} until the lease is about to run out`, async () => {
      await world.template({ max_attempts: 1 });
      await world.schedule();
      const connection = new BreakableStore(world.store);
      const runner = world.worker(connection);
      connection.beforeRead = async (description) => {
        if (description !== resource) return;
        connection.beforeRead = null;
        await world.time.pass(7001);
      };
      await runner.tick();
      expect(connection.beforeRead).to.equal(null);
      expect(await world.job(1)).to.include({ state: 'scheduled', started_at: null });
      await runUntilIdle(runner);
      expect(world.executor.started).to.deep.equal([1]);
    });

  it('does not start jobs whose start is acknowledged only after the lease has expired', async () => {
    await world.template({ max_attempts: 3 });
    const connection = new BreakableStore(world.store);
    const runner = world.worker(connection);
    await runUntilIdle(runner);
    await world.schedule();
    const { promise, resolve } = Promise.withResolvers<void>();
    connection.whilePreparing(() => {
      connection.delay = promise;
    });
    runner.expectJobs();
    const tick = runner.tick();
    await world.time.pass(7001);
    resolve();
    connection.delay = null;
    await tick;
    expect([world.executor.started, (await world.job(1)).state]).to.deep.equal([[], 'running']);
    await world.time.pass(4000);
    await world.reaper.tick();
    expect((await world.job(1)).state).to.equal('lost');
    await runUntilIdle(runner);
    expect(world.executor.started).to.deep.equal([2]);
  });

  it('marks a job as lost immediately when the commit of its start was not acknowledged', async () => {
    await world.template({ max_attempts: 3 });
    const connection = new BreakableStore(world.store);
    const runner = world.worker(connection);
    await world.schedule();
    connection.whilePreparing(() => {
      connection.unacknowledged = true;
    });
    await expectUnavailable(runner.tick());
    connection.unacknowledged = false;
    expect((await world.job(1)).state).to.equal('running');
    await runUntilIdle(runner);
    expect(await world.job(1)).to.include({ state: 'lost', reason: 'the worker never started it' });
    expect(world.executor.started).to.deep.equal([2]);
    expect(await world.workers()).to.have.lengthOf(1);
  });

  it('records the end of a job once even if the commit was not acknowledged', async () => {
    await world.template({});
    const connection = new BreakableStore(world.store);
    const runner = world.worker(connection);
    await world.schedule();
    await runUntilIdle(runner);
    await world.executor.end(1);
    connection.unacknowledged = true;
    await expectUnavailable(runner.tick());
    connection.unacknowledged = false;
    await runUntilIdle(runner);
    expect([runner.worker.running, (await world.job(1)).state]).to.deep.equal([[], 'succeeded']);
  });

  it('does not overwrite a job that a reaper has marked as lost', async () => {
    const runner = await world.startFirstJob({ max_attempts: 1 });
    await world.time.pass(11_000);
    await world.reaper.tick();
    await world.executor.end(1);
    await runUntilIdle(runner);
    expect(await world.job(1)).to.include({ state: 'lost', exit_code: null });
    expect((await world.task(1)).state).to.equal('failed');
  });

  it('marks a job as failed when its executor throws, and keeps running', async () => {
    await world.template({});
    const broken: Executor = {
      name: 'native',
      options: {},
      start() {
        throw new Error('out of handles');
      },
    };
    const runner = world.runner(broken);
    await world.schedule();
    await runUntilIdle(runner);
    expect(await world.job(1)).to.include({ state: 'failed', reason: 'the executor native failed: out of handles' });
    expect(runner.worker.running).to.deep.equal([]);
  });

  it('marks a job as failed when the result of its executor rejects, and names the plugin of the executor', async () => {
    await world.template({});
    const done = () => Promise.reject(new ReferenceError('pool is not defined'));
    const broken: Executor = { name: 'native', options: {}, start: () => ({ done: done(), stop() {} }) };
    new Registry<Executor>('executor').put('native', broken, 'shop');
    const runner = world.runner(broken);
    await world.schedule();
    await runUntilIdle(runner);
    expect(await world.job(1)).to.include({
      state: 'failed',
      reason: 'the executor native of the plugin shop failed: pool is not defined',
    });
  });

  it('waits for the poll interval between reads of the stop requests, also while a job takes time to stop', async () => {
    await world.template({});
    const runner = world.worker();
    await world.schedule();
    await runUntilIdle(runner);
    await world.jobs.cancel(world.actor, 1);
    runner.lookForStops();
    await runUntilIdle(runner);
    expect(world.executor.stops.get(1)).to.equal('cancelled by anna');
    await world.time.pass(400);
    expect(await runner.tick()).to.equal(100);
    expect(await world.job(1)).to.include({ state: 'running' });
  });

  it('ticks twenty times a second while another transaction locks the templates of all due jobs, then runs them', async () => {
    await world.template({});
    await world.schedule();
    const connection = new BreakableStore(world.store);
    const runner = world.worker(connection);
    connection.rowsLocked = true;
    expect(await world.ticksInASecond(runner)).to.be.within(10, 25);
    connection.rowsLocked = false;
    await runUntilIdle(runner);
    expect(world.executor.started).to.deep.equal([1]);
  });

  it('ticks twenty times a second while the only due job is past its start deadline and its Task has not expired', async () => {
    await world.template({ deadline: '+1m' });
    await world.schedule();
    await world.time.pass(60_001);
    expect(await world.ticksInASecond(world.worker())).to.be.within(10, 25);
    expect(await world.job(1)).to.include({ state: 'scheduled' });
  });

  it('leaves the result of a job for later whose template another transaction has locked, and ticks twenty times a second', async () => {
    await world.template({});
    await world.schedule();
    const connection = new BreakableStore(world.store);
    const runner = world.worker(connection);
    await runner.tick();
    connection.rowsLocked = true;
    await world.executor.end(1);
    expect(await world.ticksInASecond(runner)).to.be.within(10, 25);
    expect((await world.job(1)).state).to.equal('running');
    connection.rowsLocked = false;
    await runner.tick();
    expect((await world.job(1)).state).to.equal('succeeded');
  });

  for (const end of ['fails', 'is lost'])
    it(`does not retry a job that ${end} after it was cancelled`, async () => {
      const runner = await world.startFirstJob({ max_attempts: 3 });
      await world.jobs.cancel(world.actor, 1);
      if (end === 'fails') {
        await world.executor.end(1, 1);
        await runner.tick();
      } else {
        await world.time.pass(11_000);
        await world.reaper.tick();
      }
      expect(await world.job(1)).to.include({ state: 'cancelled', reason: 'cancelled by anna' });
      expect(await world.task(1)).to.include({ state: 'cancelled', reason: 'cancelled by anna' });
      expect(await world.allJobs()).to.have.lengthOf(1);
    });

  it('fulfils the Task of a job that succeeds before its cancellation stops it', async () => {
    const runner = await world.startFirstJob();
    await world.jobs.cancel(world.actor, 1);
    await world.executor.end(1);
    await runner.tick();
    expect((await world.task(1)).state).to.equal('fulfilled');
  });
});
