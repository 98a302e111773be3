import { HorariumError, type Runner, type Store, WorkerLease } from '@horarium/core';
import { expect } from 'chai';
import { HeldExecutor } from './held-executor.ts';
import { SchedulingWorld } from './scheduling-world.ts';

/** A connection that the test breaks, or whose answers it holds back. */
export function connection(store: Store) {
  const state = { broken: false, deaf: false, held: null as Promise<void> | null };
  const lost = () => new HorariumError('unavailable', 'The connection was lost.');
  const connected: Store = {
    kind: store.kind,
    close: async () => {},
    async transaction(work, options) {
      if (state.broken) throw lost();
      const result = await store.transaction(work, options);
      if (state.deaf && !options?.readOnly) throw lost();
      if (!options?.readOnly) await state.held;
      return result;
    },
  };
  return { state, connected };
}

export async function failing(work: Promise<unknown>): Promise<void> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).to.be.instanceOf(HorariumError).and.to.have.property('code', 'unavailable');
}

/** Lets the worker do all that is due. */
export async function work(runner: Runner): Promise<void> {
  for (let tickers = 0; tickers < 20; tickers++) if ((await runner.tick()) > 10) return;
  throw new Error('The runner does not come to rest.');
}

/** A world whose workers run jobs that end when the test says so. */
export class RunnerWorld extends SchedulingWorld {
  readonly executor = new HeldExecutor();

  /** A worker that reaches the database through that store. */
  worker(store: Store = this.store): Runner {
    return this.runner(this.executor, store);
  }

  workers() {
    return this.audited.read((tables) => tables.of(WorkerLease).find());
  }
}
