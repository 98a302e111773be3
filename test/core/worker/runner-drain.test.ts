import { expect } from 'chai';
import { BreakableStore } from '../../support/store/breakable-store.ts';
import { RunnerWorld, runUntilIdle } from '../../support/worlds/runner-world.ts';

describe('Runner.drain', () => {
  let world: RunnerWorld;

  beforeEach(() => {
    world = new RunnerWorld();
  });

  it('claims no further job, waits for running jobs, and releases the lease', async () => {
    const runner = await world.startFirstJob();
    const drained = runner.drain(60_000);
    await world.jobs.schedule(world.actor, { task_id: 1 });
    await runUntilIdle(runner);
    await world.executor.end(1);
    await runUntilIdle(runner);
    await drained;
    expect(world.executor.started).to.deep.equal([1]);
    expect(await world.workers()).to.deep.equal([]);
    await world.time.pass(5000);
    await runner.tick();
    expect(await world.workers()).to.deep.equal([]);
  });

  it('stops jobs that outlast the grace period, and records them as lost', async () => {
    const runner = await world.startFirstJob();
    const drained = runner.drain(5000);
    await world.time.pass(5000);
    expect(world.executor.stops.get(1)).to.equal('the worker was shut down');
    await world.executor.end(1);
    await runner.tick();
    await drained;
    expect(await world.job(1)).to.include({ state: 'lost', reason: 'the worker was shut down' });
  });

  it('gives a job back uncounted that a running tick reserves while the drain begins', async () => {
    await world.template({});
    await world.loseWorker();
    const connection = new BreakableStore(world.store);
    const runner = world.worker(connection);
    await runUntilIdle(runner);
    await world.schedule();
    const { promise, resolve } = Promise.withResolvers<void>();
    connection.delay = promise;
    runner.expectJobs();
    const tick = runner.tick();
    await world.time.pass(10);
    expect((await world.job(1)).claims).to.equal(1);
    const drained = runner.drain(1000);
    resolve();
    connection.delay = null;
    await Promise.all([tick, drained]);
    expect(await world.job(1)).to.include({ state: 'scheduled', claims: 0, queue_at: world.time.now });
    await runUntilIdle(world.worker());
    expect(world.executor.started).to.deep.equal([1]);
  });

  it('also stops jobs that a running tick starts while the drain begins', async () => {
    await world.template({});
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
    await world.time.pass(10);
    const drained = runner.drain(1000);
    resolve();
    connection.delay = null;
    await tick;
    await world.time.pass(1000);
    expect(world.executor.stops.get(1)).to.equal('the worker was shut down');
    await world.executor.end(1);
    await runner.tick();
    await drained;
    expect((await world.job(1)).state).to.equal('lost');
    expect(await world.workers()).to.deep.equal([]);
  });
});
