import { Worker } from '@horarium/core';
import { expect } from 'chai';
import { HeldExecutor } from '../../support/held-executor.ts';
import { connection, work } from '../../support/runner-hands.ts';
import { SchedulingWorld } from '../../support/scheduling-world.ts';

describe('A runner that ends', () => {
  let world: SchedulingWorld;
  let executor: HeldExecutor;

  beforeEach(() => {
    world = new SchedulingWorld();
    executor = new HeldExecutor();
  });

  const workers = () => world.audited.read((tables) => tables.of(Worker).find());

  it('takes nothing new, waits for what runs, and leaves nothing behind', async () => {
    await world.template({});
    const runner = world.runner(executor);
    await world.schedule();
    await work(runner);
    const drained = runner.drain(60_000);
    await world.jobs.schedule(world.actor, { task_id: 1 });
    await work(runner);
    await executor.end(1);
    await work(runner);
    await drained;
    expect(executor.started).to.deep.equal([1]);
    expect(await workers()).to.deep.equal([]);
    await world.time.pass(5000);
    await runner.beat();
    expect(await workers()).to.deep.equal([]);
  });

  it('stops what runs longer than it may, and records it as lost', async () => {
    await world.template({});
    const runner = world.runner(executor);
    await world.schedule();
    await work(runner);
    const drained = runner.drain(5000);
    await world.time.pass(5000);
    expect(executor.asked.get(1)).to.equal('the worker was shut down');
    await executor.end(1);
    await runner.beat();
    await drained;
    expect(await world.job(1)).to.include({ state: 'lost', reason: 'the worker was shut down' });
  });

  it('ends what it was just claiming, too', async () => {
    await world.template({});
    const { state, connected } = connection(world.store);
    const runner = world.runner(executor, connected);
    await work(runner);
    await world.schedule();
    const { promise, resolve } = Promise.withResolvers<void>();
    state.held = promise;
    const beat = runner.beat();
    await world.time.pass(10);
    const drained = runner.drain(1000);
    resolve();
    state.held = null;
    await beat;
    await world.time.pass(1000);
    expect(executor.asked.get(1)).to.equal('the worker was shut down');
    await executor.end(1);
    await runner.beat();
    await drained;
    expect((await world.job(1)).state).to.equal('lost');
    expect(await workers()).to.deep.equal([]);
  });
});
