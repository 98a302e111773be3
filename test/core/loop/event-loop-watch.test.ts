import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import { carryHolders, type EventLoopBlock, EventLoopWatch, type Milliseconds } from '@horarium/core';
import { StandingClock } from '@horarium/core/contracts';
import { expect } from 'chai';
import { describeBlock } from '#core/loop/event-loop-watch';
import { Loop, type Ticker } from '#core/loop/loop';
import { yieldToEventLoop } from '#core/loop/yield-to-event-loop';
import { inSingleSteps } from '../../support/clocks/single-steps.ts';
import { VirtualTime } from '../../support/clocks/virtual-time.ts';
import { withoutEventLoopNotices } from '../../support/program/event-loop-notices.ts';
import { openTestStore } from '../../support/store/test-store.ts';

/** A watch on a clock that the test moves; each tick comes as late as the test says. */
function watched() {
  let now = 0;
  let delay = 0;
  const blocks: EventLoopBlock[] = [];
  const watch = new EventLoopWatch({ elapsed: () => now, cpuDelay: () => delay }, (block) => blocks.push(block));
  const block = (duration: Milliseconds) => {
    now += duration;
  };
  const tick = async (late = 0) => {
    block(100 + late);
    await watch.tick();
  };
  /** Lets the process wait for a processor. */
  const wait = (duration: Milliseconds) => {
    now += duration;
    delay += duration;
  };
  return { watch, blocks, block, tick, wait };
}

describe('EventLoopWatch', () => {
  it('attributes a synchronous stretch of more than 200 ms to its work, once', async () => {
    const { watch, blocks, block, tick } = watched();
    await watch.tick();
    watch.sync('executor native', () => block(200));
    await tick();
    expect(blocks).to.deep.equal([]);
    expect(watch.sync('executor native', () => block(201))).to.equal(undefined);
    await watch.run('tick runner', async () => watch.sync('preparation of an attempt', () => block(300)));
    expect(blocks.map(({ by, duration }) => [by, duration])).to.deep.equal([
      ['executor native', 201],
      ['preparation of an attempt', 300],
    ]);
    await tick(99);
    expect(blocks).to.have.lengthOf(2);
  });

  it('attributes what blocks after a wait to the only work under way', async () => {
    const { watch, blocks, block, tick } = watched();
    await watch.tick();
    await watch.run('GET /jobs.{suffix}', async () => {
      await Promise.resolve();
      block(1000);
    });
    await turn();
    await tick();
    const by = 'GET /jobs.{suffix}';
    expect(blocks).to.deep.equal([{ duration: 1000, by, underWay: [by] }]);
    await tick();
    expect(blocks).to.have.lengthOf(1);
  });

  it('names all work that was under way where it cannot tell them apart, each once', async () => {
    const { watch, blocks, tick } = watched();
    await watch.tick();
    const { promise, resolve } = Promise.withResolvers<void>();
    const works = ['tick sealer', 'tick runner', 'tick runner'].map((name) => watch.run(name, () => promise));
    await turn();
    await tick(250);
    resolve();
    await Promise.all(works);
    await turn();
    await tick(250);
    await tick(250);
    const names = ['tick sealer', 'tick runner'];
    expect(blocks).to.deep.equal([
      { duration: 250, by: null, underWay: names },
      { duration: 250, by: null, underWay: names },
      { duration: 250, by: null, underWay: [] },
    ]);
  });

  it('does not count the time in which the process waits for a processor', async () => {
    const { watch, blocks, block, tick, wait } = watched();
    await watch.tick();
    const work = (busy: Milliseconds, waiting: Milliseconds) => () => {
      block(busy);
      wait(waiting);
    };
    watch.sync('executor native', work(150, 2000));
    const { promise, resolve } = Promise.withResolvers<void>();
    const running = watch.run('tick sealer', () => promise);
    wait(3000);
    await tick(45);
    expect(blocks).to.deep.equal([]);
    watch.sync('executor native', work(250, 2000));
    resolve();
    await running;
    expect(blocks.map(({ by, duration }) => [by, duration])).to.deep.equal([['executor native', 250]]);
  });

  it('asks for that time once a tick and after a long stretch, because asking is a system call', async () => {
    let [now, asked] = [0, 0];
    const cpuDelay = () => {
      asked += 1;
      return 0;
    };
    const watch = new EventLoopWatch({ elapsed: () => now, cpuDelay }, () => undefined);
    await watch.tick();
    const work = (duration: Milliseconds) =>
      watch.run('GET /apps.{suffix}', async () => {
        now += duration;
      });
    for (let request = 0; request < 100; request += 1) await work(1);
    await turn();
    expect(asked).to.equal(1);
    await work(50);
    await turn();
    expect(asked).to.equal(2);
  });

  it('measures for how long work has used the thread, also after it has waited, but not for how long other work has', async () => {
    carryHolders(new AsyncLocalStorage());
    const { watch, block, wait } = watched();
    await watch.tick();
    const held: Milliseconds[] = [];
    const other = Promise.withResolvers<void>();
    const store = openTestStore(new StandingClock());
    const first = store.transaction(() => other.promise);
    const work = async (milliseconds: number) => {
      block(milliseconds);
      await store.transaction(async () => {
        block(milliseconds);
        wait(1000);
      });
      await yieldToEventLoop();
      block(milliseconds);
    };
    const total = (name: string, milliseconds: number) =>
      watch.run(
        name,
        () => work(milliseconds),
        (duration) => void held.push(duration),
      );
    const works = [total('GET /apps', 10), watch.run('GET /jobs', () => work(1))];
    await turn();
    block(7000);
    other.resolve();
    await inSingleSteps(() => Promise.all([first, ...works]));
    await turn();
    expect(held.reduce((sum, duration) => sum + duration, 0)).to.equal(30);
  });

  it('passes on results, errors and streams', async () => {
    const { watch, blocks, block, tick } = watched();
    await watch.tick();
    expect(await watch.run('a', async () => 7)).to.equal(7);
    const failure = new Error('failed');
    for (const failing of [
      () => Promise.reject(failure),
      () => {
        throw failure;
      },
    ])
      expect(await watch.run('a', failing).catch((error: unknown) => error)).to.equal(failure);
    let closed = 0;
    async function* pages() {
      try {
        yield 1;
        block(500);
        yield 2;
      } finally {
        closed += 1;
      }
    }
    const passed: number[] = [];
    for await (const page of watch.each('GET /apps.{suffix}', pages())) passed.push(page);
    for await (const page of watch.each('GET /apps.{suffix}', pages())) {
      passed.push(page);
      break;
    }
    expect([passed, closed]).to.deep.equal([[1, 2, 1], 2]);
    await tick();
    expect(blocks.map(({ by }) => by)).to.deep.equal(['GET /apps.{suffix}']);
  });

  it('is told of the ticks of a loop, and ticks along with them', async () => {
    const time = new VirtualTime(0);
    let blocked = 0;
    const blocks: EventLoopBlock[] = [];
    const watch = new EventLoopWatch({ elapsed: () => time.now + blocked }, (block) => blocks.push(block));
    const hog: Ticker = {
      name: 'hog',
      tick: async () => {
        blocked += 700;
        return 60_000;
      },
    };
    const loop = new Loop({
      clock: time.storeClock,
      tickers: [hog],
      watch,
      onError: (_ticker, error) => {
        throw error;
      },
    });
    loop.start();
    await time.pass(1000);
    await loop.stop();
    expect(blocks).to.deep.equal([{ duration: 700, by: 'tick hog', underWay: ['tick hog'] }]);
  });

  it('has its blocks described in a sentence', () => {
    const block = { duration: 250.4, by: null, underWay: [] };
    const underWay = ['tick a', 'tick b'];
    const sentences = [{ ...block, by: 'tick hog' }, { ...block, underWay }, block].map(describeBlock);
    expect(sentences).to.deep.equal([
      'The event loop was blocked for 250 ms by: tick hog.',
      'The event loop was blocked for 250 ms by one of: tick a, tick b.',
      'The event loop was blocked for 250 ms, while no work of the service was under way.',
    ]);
    // Tests of programs disregard just these lines.
    const lines = ['begun', ...sentences, 'ended'].map((line) => `${line}\n`);
    expect(withoutEventLoopNotices(lines.join(''))).to.equal('begun\nended\n');
  });
});
