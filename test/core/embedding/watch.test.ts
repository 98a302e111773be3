import { type Core, type TaskRow, trustedActor } from '@horarium/core';
import { expect } from 'chai';
import { user } from '../../support/worlds/record-world.ts';
import { EmbeddingWorld } from './embedding-world.ts';

/** Reads a watch to its end. @returns what it yields, as it comes. */
function collect(watch: AsyncIterable<TaskRow>) {
  const tasks: TaskRow[] = [];
  const ended = (async () => {
    for await (const task of watch) tasks.push(task);
  })();
  return { tasks, ended };
}

const shown = (tasks: readonly TaskRow[]) => tasks.map(({ id, state, attempts }) => [id, state, attempts]);

describe('A watch of Tasks', () => {
  let world: EmbeddingWorld;
  let core: Core;
  beforeEach(() => {
    world = new EmbeddingWorld();
    core = world.core();
  });
  const oneMinuteEach = [
    ['open', 0],
    ['running', 1],
    ['fulfilled', 1],
  ] as const;

  it('yields a Task for each state that it enters, as it was then', async () => {
    await core.every('minutely', 'work', () => undefined);
    const { tasks, ended } = collect(core.tasks.watch());
    await core.start();
    await world.time.pass(2 * 60_000);
    await world.during(core.stop());
    await ended;
    expect(shown(tasks)).to.deep.equal([1, 2].flatMap((id) => oneMinuteEach.map((state) => [id, ...state])));
    expect(tasks.map(({ reason, fulfilled_at }) => [reason, fulfilled_at !== null]).slice(0, 3)).to.deep.equal([
      [null, false],
      [null, false],
      ['succeeded in time', true],
    ]);
    expect(tasks[2]).to.deep.equal(await core.tasks.get(trustedActor('test'), 1));
  });

  it('yields a change of this process at once, without waiting for the next poll', async () => {
    await core.every('minutely', 'work', () => new Promise(() => {}), { timeout: 1 });
    await core.start();
    await world.time.pass(29_990);
    const { tasks, ended } = collect(core.tasks.watch());
    await world.time.pass(100);
    expect(shown(tasks)).to.deep.equal([
      [1, 'open', 0],
      [1, 'running', 1],
    ]);
    await world.during(core.stop(0));
    await ended;
  });

  it('loses no change while its consumer is busy, and repeats none, however many there are', async () => {
    const names = Array.from({ length: 20 }, (_, n) => `work-${n}`);
    for (const name of names) await core.every('minutely', name, () => undefined);
    await core.start();
    const { promise: isReady, resolve: ready } = Promise.withResolvers<void>();
    const tasks: TaskRow[] = [];
    const watching = (async () => {
      for await (const task of core.tasks.watch()) {
        tasks.push(task);
        if (tasks.length === 1) await isReady;
      }
    })();
    await world.time.pass(20 * 60_000);
    expect(tasks).to.have.length(1);
    ready();
    await world.time.pass(2000);
    await world.during(core.stop());
    await watching;
    const statesOf = Map.groupBy(tasks, ({ id }) => id);
    expect(statesOf.size).to.equal(400);
    for (const states of statesOf.values())
      expect(states.map(({ state, attempts }) => [state, attempts])).to.deep.equal(oneMinuteEach);
  });

  it('yields the changes of other processes, also while it runs nothing itself', async () => {
    const other = world.core();
    await other.every('minutely', 'work', () => undefined);
    const { tasks, ended } = collect(core.tasks.watch());
    await other.start();
    await world.time.pass(32_000);
    await world.during(other.stop());
    await world.time.pass(1000);
    expect(shown(tasks)).to.deep.equal(oneMinuteEach.map((state) => [1, ...state]));
    await world.during(core.stop());
    await ended;
  });

  it('begins with the call: it yields no earlier change, and all that follow it', async () => {
    await core.every('minutely', 'work', () => undefined);
    await core.start();
    await world.time.pass(60_000);
    const watch = core.tasks.watch();
    await world.time.pass(60_000);
    const { tasks, ended } = collect(watch);
    await world.time.pass(1000);
    await world.during(core.stop());
    await ended;
    expect(shown(tasks)).to.deep.equal(oneMinuteEach.map((state) => [2, ...state]));
  });

  it('yields only Tasks that its actor may see', async () => {
    const company = await core.companies.save(trustedActor('test'), { code: 'shop', name: 'The shop' });
    await core.every('minutely', 'hidden', () => undefined);
    await core.every('minutely', 'seen', () => undefined, { company: 'shop' });
    const { tasks, ended } = collect(core.tasks.watch(user(7, [], { [company.id]: 'viewer' })));
    await core.start();
    await world.time.pass(31_000);
    await world.during(core.stop());
    await ended;
    expect(tasks.map(({ company_id }) => company_id)).to.deep.equal([company.id, company.id, company.id]);
  });

  it('ends when its signal aborts, and the core goes on', async () => {
    let calls = 0;
    await core.every('minutely', 'work', () => ++calls);
    const abort = new AbortController();
    const { tasks, ended } = collect(core.tasks.watch(undefined, { signal: abort.signal }));
    await core.start();
    await world.time.pass(10_000);
    abort.abort();
    await ended;
    await world.time.pass(50_000);
    await world.during(core.stop());
    expect([tasks.length, calls]).to.deep.equal([0, 1]);
  });

  it('ends at once when it begins after the core was stopped', async () => {
    await world.during(core.stop());
    const { tasks, ended } = collect(core.tasks.watch());
    await ended;
    expect(tasks).to.deep.equal([]);
  });
});
