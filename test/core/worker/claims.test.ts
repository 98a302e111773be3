import { expect } from 'chai';
import type { Runner } from '#core/worker/runner';
import { rejectionOf } from '../../support/mocha/rejection-of.ts';
import { watchedPreparation } from '../../support/simulation/world/preparation.ts';
import { BreakableStore } from '../../support/store/breakable-store.ts';
import { expectUnavailable, RunnerWorld, runUntilIdle } from '../../support/worlds/runner-world.ts';

const lease = 10_000;
const reason = 'its worker died 3 times while it was prepared';

describe('Claims', () => {
  let world: RunnerWorld;
  let prepared: number[];

  beforeEach(() => {
    world = new RunnerWorld();
    prepared = [];
  });

  /** Creates a runner whose process dies as soon as it prepares that job: its transaction fails, and it never ticks again. */
  function mortalRunner(deadly: number): Runner {
    const preparation = watchedPreparation((jobId) => {
      prepared.push(jobId);
      if (jobId === deadly) throw new Error('killed');
    });
    return world.runner(world.executor, world.store, preparation);
  }

  /** Ticks runners, each after the last has died of the job, until one survives. */
  async function runUntilSurvived(deadly: number): Promise<number> {
    for (let deaths = 0; deaths < 20; deaths += 1) {
      try {
        await runUntilIdle(mortalRunner(deadly));
        return deaths;
      } catch (error) {
        expect(error).to.have.property('message', 'killed');
        await world.time.pass(lease);
      }
    }
    throw new Error('The job is claimed again and again.');
  }

  it('are counted in the store before the job is prepared', async () => {
    await world.template({});
    await world.schedule();
    await rejectionOf(mortalRunner(1).tick());
    expect(await world.job(1)).to.include({ state: 'scheduled', claims: 1, started_at: null });
  });

  it('fail a job, and its Task, when three workers have died while they prepared it', async () => {
    await world.template({ max_attempts: 1000 });
    await world.schedule();
    expect(await runUntilSurvived(1)).to.equal(3);
    expect(prepared).to.deep.equal([1, 1, 1]);
    expect(await world.job(1)).to.include({ state: 'failed', reason, command: null });
    expect(await world.task(1)).to.include({ state: 'failed', attempts: 1 });
    expect((await world.task(1)).reason).to.equal(`the last attempt failed (${reason}), which is not retried`);
    expect(world.executor.started).to.deep.equal([]);
  });

  it('are prepared alone after a death, so that jobs beside a deadly one survive it', async () => {
    for (let job = 1; job <= 4; job += 1) await world.template({});
    await world.schedule();
    expect(await runUntilSurvived(3)).to.equal(3);
    expect((await world.allJobs()).map(({ state }) => state)).to.deep.equal([
      'running',
      'running',
      'failed',
      'running',
    ]);
    expect((await world.allJobs()).map(({ claims }) => claims)).to.deep.equal([2, 2, 4, 2]);
  });

  it('leave a job to its worker until the lease is over, and start it once', async () => {
    await world.template({});
    await world.schedule();
    const connection = new BreakableStore(world.store);
    const [first, second] = [world.worker(connection), world.worker()];
    const { promise, resolve } = Promise.withResolvers<void>();
    connection.delay = promise;
    const tick = first.tick();
    await world.time.pass(lease - 100);
    await runUntilIdle(second);
    expect(world.executor.started).to.deep.equal([]);
    await world.time.pass(100);
    await runUntilIdle(second);
    expect([world.executor.started, second.worker.running]).to.deep.equal([[1], [1]]);
    resolve();
    await tick;
    await runUntilIdle(first);
    expect([world.executor.started, (await world.job(1)).claims]).to.deep.equal([[1], 2]);
  });

  it('are counted once when the connection is lost before the job is prepared, or while it is', async () => {
    await world.template({});
    await world.schedule();
    const connection = new BreakableStore(world.store);
    const runner = world.worker(connection);
    connection.unacknowledged = true;
    await expectUnavailable(runner.tick());
    connection.unacknowledged = false;
    for (let failure = 0; failure < 5; failure += 1) {
      connection.whilePreparing(() => {
        throw new Error('lost');
      });
      await rejectionOf(runner.tick());
    }
    await runUntilIdle(runner);
    expect([world.executor.started, (await world.job(1)).claims]).to.deep.equal([[1], 1]);
  });

  for (const [change, started] of [
    [{ state: 'cancelled' }, []],
    [{ scheduled_at: '2026-11-21T05:00:30Z' }, [1]],
    [{ environment: {} }, [1]],
  ] as const)
    it(`follow a change of the job before it is prepared: ${JSON.stringify(change)}`, async () => {
      await world.template({});
      await world.schedule();
      const connection = new BreakableStore(world.store);
      const runner = world.worker(connection);
      const { promise, resolve } = Promise.withResolvers<void>();
      connection.delay = promise;
      const tick = runner.tick();
      await world.time.pass(1);
      await world.jobs.change(world.actor, 1, change);
      resolve();
      await tick;
      await runUntilIdle(runner);
      if ('scheduled_at' in change) {
        expect(world.executor.started).to.deep.equal([]);
        await world.time.pass(30_000);
        await runUntilIdle(runner);
      }
      expect(world.executor.started).to.deep.equal(started);
    });

  it('are given back when another job of the template started meanwhile, which blocks this one', async () => {
    const { id } = await world.template({ overlap: 'forbid' });
    await world.schedule();
    const connection = new BreakableStore(world.store);
    const runner = world.worker(connection);
    const { promise, resolve } = Promise.withResolvers<void>();
    connection.delay = promise;
    const tick = runner.tick();
    await world.time.pass(1);
    await world.jobs.schedule(world.actor, { runtemplate_id: id });
    const second = world.worker();
    await runUntilIdle(second);
    expect(world.executor.started).to.deep.equal([2]);
    resolve();
    connection.delay = null;
    await tick;
    expect(await world.job(1)).to.include({ state: 'scheduled', claims: 0, queue_at: null });
    await world.executor.end(2);
    await runUntilIdle(second);
    expect(world.executor.started).to.deep.equal([2, 1]);
  });
});
