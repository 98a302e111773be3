import { expect } from 'chai';
import type { Runner } from '#core/worker/runner';
import { rejectionOf } from '../../support/mocha/rejection-of.ts';
import { watchedPreparation } from '../../support/simulation/world/preparation.ts';
import { BreakableStore } from '../../support/store/breakable-store.ts';
import { RunnerWorld, runUntilIdle } from '../../support/worlds/runner-world.ts';

const lease = 10_000;
const reason = '3 workers died while they prepared it alone';

describe('A reservation of a job', () => {
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

  /** Ticks runners, each some time after the last has died of the job, until one survives. @returns the number of deaths */
  async function runUntilSurvived(deadly: number, restart: number): Promise<number> {
    for (let deaths = 0; deaths < 20; deaths += 1) {
      try {
        await runUntilIdle(mortalRunner(deadly));
        return deaths;
      } catch (error) {
        expect(error).to.have.property('message', 'killed');
        await world.time.pass(restart);
        // The next worker may look before the reservation of the job ends.
        await world.time.pass(restart < lease ? lease : 0);
      }
    }
    throw new Error('The job is claimed again and again.');
  }

  it('is not made while all workers live: a job starts in the transaction that claims it', async () => {
    await world.template({});
    const connection = new BreakableStore(world.store);
    const runner = world.worker(connection);
    await runUntilIdle(runner);
    await world.schedule();
    let transactions = 0;
    connection.fault = (readOnly) => {
      if (!readOnly) transactions += 1;
      return null;
    };
    runner.expectJobs();
    await runner.tick();
    expect([transactions, world.executor.started, (await world.job(1)).claims]).to.deep.equal([1, [1], 0]);
  });

  it('is counted in the store before the job is prepared, once a worker was lost', async () => {
    await world.template({});
    await world.schedule();
    await world.loseWorker();
    const runner = mortalRunner(1);
    await runner.tick();
    expect(prepared).to.deep.equal([]);
    expect(await world.job(1)).to.include({ state: 'scheduled', claims: 1, queue_at: world.time.now + lease });
    await rejectionOf(runner.tick());
    expect(await world.job(1)).to.include({ state: 'scheduled', claims: 1, started_at: null });
  });

  it('is not made any more a minute after the last worker was lost', async () => {
    await world.template({});
    await world.loseWorker();
    await world.time.pass(61_000);
    await world.reaper.tick();
    expect(await world.workers()).to.deep.equal([]);
    const runner = await world.startFirstJob();
    expect([runner.worker.running.length, (await world.job(1)).claims]).to.deep.equal([1, 0]);
  });

  it('fails a job, and its Task, after three: the first death is not counted, because nothing of it was stored', async () => {
    await world.template({ max_attempts: 1000 });
    await world.schedule();
    expect(await runUntilSurvived(1, lease)).to.equal(4);
    expect(prepared).to.deep.equal([1, 1, 1, 1]);
    expect(await world.job(1)).to.include({ state: 'failed', reason, command: null });
    expect(await world.task(1)).to.include({ state: 'failed', attempts: 1 });
    expect((await world.task(1)).reason).to.equal(`${reason}, which is not retried`);
    expect(world.executor.started).to.deep.equal([]);
  });

  it('is made by a worker that starts at once after another one died, although the lease of that one has just begun', async () => {
    await world.template({ max_attempts: 1000 });
    await world.schedule();
    expect(await runUntilSurvived(1, 100)).to.equal(4);
  });

  it('is made of each job alone, so that those beside a deadly one survive it', async () => {
    for (let job = 1; job <= 4; job += 1) await world.template({});
    await world.schedule();
    expect(await runUntilSurvived(3, lease)).to.equal(4);
    const jobs = await world.allJobs();
    expect(jobs.map(({ state }) => state)).to.deep.equal(['running', 'running', 'failed', 'running']);
    expect(jobs.map(({ claims }) => claims)).to.deep.equal([1, 1, 4, 1]);
  });

  it('is made after a transaction failed while it prepared jobs, so that the others of it go on', async () => {
    for (let job = 1; job <= 3; job += 1) await world.template({});
    await world.schedule();
    const runner = mortalRunner(2);
    for (let ticks = 0; ticks < 12; ticks += 1) await runner.tick().catch(() => undefined);
    expect(world.executor.started).to.deep.equal([1, 3]);
  });

  it('leaves the job to its worker until the lease is over, and another one starts it then', async () => {
    await world.template({});
    await world.schedule();
    await world.loseWorker();
    const first = world.worker();
    await first.tick();
    const second = world.worker();
    await world.time.pass(lease - 100);
    await runUntilIdle(second);
    expect(world.executor.started).to.deep.equal([]);
    await world.time.pass(100);
    await runUntilIdle(second);
    expect([world.executor.started, second.worker.running]).to.deep.equal([[1], [1]]);
    await runUntilIdle(first);
    expect([world.executor.started, (await world.job(1)).claims]).to.deep.equal([[1], 2]);
  });

  for (const [change, started] of [
    [{ state: 'cancelled' }, []],
    [{ scheduled_at: '2026-11-21T05:00:30Z' }, [1]],
    [{ environment: {} }, [1]],
  ] as const)
    it(`follows a change of the job before it is prepared: ${JSON.stringify(change)}`, async () => {
      await world.template({});
      await world.schedule();
      await world.loseWorker();
      const runner = world.worker();
      await runner.tick();
      await world.jobs.change(world.actor, 1, change);
      await runUntilIdle(runner);
      if ('scheduled_at' in change) {
        expect(world.executor.started).to.deep.equal([]);
        await world.time.pass(30_000);
        await runUntilIdle(runner);
      }
      expect(world.executor.started).to.deep.equal(started);
    });

  it('is cancelled when another job of the template started meanwhile, which blocks this one', async () => {
    const { id } = await world.template({ overlap: 'forbid' });
    await world.schedule();
    await world.loseWorker();
    const runner = world.worker();
    await runner.tick();
    await world.jobs.schedule(world.actor, { runtemplate_id: id });
    const second = world.worker();
    await runUntilIdle(second);
    expect(world.executor.started).to.deep.equal([2]);
    await runner.tick();
    expect(await world.job(1)).to.include({ state: 'scheduled', claims: 0, queue_at: null });
    await world.executor.end(2);
    await runUntilIdle(second);
    expect(world.executor.started).to.deep.equal([2, 1]);
  });
});
