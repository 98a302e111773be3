import { setImmediate } from 'node:timers/promises';
import { HorariumError, type RunTemplateRow, type Store, WorkerLease } from '@horarium/core';
import { expect } from 'chai';
import { newRow } from '#core/store/table';
import type { Runner } from '#core/worker/runner';
import { ManualExecutor } from '../executors/manual-executor.ts';
import { rejectionOf } from '../mocha/rejection-of.ts';
import { SchedulingWorld } from './scheduling-world.ts';

/** Expects the work to be refused because the store cannot be reached. */
export async function expectUnavailable(work: Promise<unknown>): Promise<void> {
  const error = await rejectionOf(work);
  expect(error).to.be.instanceOf(HorariumError).and.to.have.property('code', 'unavailable');
}

/** Ticks the runner until nothing is due. */
export async function runUntilIdle(runner: Runner): Promise<void> {
  runner.lookForJobs();
  let idle = 0;
  for (let ticks = 0; ticks < 20; ticks++) {
    idle = (await runner.tick()) > 10 ? idle + 1 : 0;
    if (idle === 2) return;
    // An attempt that has ended wakes the loop later in this turn.
    await setImmediate();
  }
  throw new Error('The runner does not come to rest.');
}

/** A scheduling world whose workers run jobs until the test ends them. */
export class RunnerWorld extends SchedulingWorld {
  readonly executor = new ManualExecutor();

  /** Creates the runner of a worker that uses this store. */
  worker(store: Store = this.store): Runner {
    return this.runner(this.executor, store);
  }

  /** Creates a template and a runner, which starts the first job of the template. */
  async startFirstJob(template: Partial<RunTemplateRow> = {}): Promise<Runner> {
    await this.template(template);
    const runner = this.worker();
    await this.schedule();
    await runUntilIdle(runner);
    return runner;
  }

  /** Leaves the lease of a worker that was just lost, so that the others reserve each job before they prepare it. */
  async loseWorker(): Promise<void> {
    const { now } = this.time;
    const lost = { name: 'lost', host: 'lost', pid: 1, started_at: now, lease_until: now - 1, lost_at: now };
    await this.audited.transaction(this.actor, (tables) => tables.of(WorkerLease).insert([newRow(WorkerLease, lost)]));
  }

  workers() {
    return this.audited.read((tables) => tables.of(WorkerLease).find());
  }
}
