import type { Milliseconds } from '@horarium/core';
import { expect } from 'chai';
import { Loop, type Ticker } from '#core/loop/loop';
import { VirtualTime } from '../../support/clocks/virtual-time.ts';
import { Random } from '../../support/simulation/world/random.ts';

/** A ticker that records the times of its ticks and runs the work of the test. */
class RecordingTicker implements Ticker {
  readonly at: number[] = [];
  readonly name: string;
  readonly #work: (call: number) => Milliseconds | Promise<Milliseconds>;
  readonly #time: VirtualTime;

  constructor(name: string, time: VirtualTime, work: (call: number) => Milliseconds | Promise<Milliseconds>) {
    this.name = name;
    this.#time = time;
    this.#work = work;
  }

  async tick(): Promise<Milliseconds> {
    this.at.push(this.#time.now);
    return this.#work(this.at.length);
  }
}

interface Failure {
  readonly tick: string;
  readonly message: string;
  readonly wait: Milliseconds;
}

function loopOf(time: VirtualTime, ...tickers: readonly Ticker[]) {
  const failures: Failure[] = [];
  const onError = (tick: string, error: unknown, wait: Milliseconds) =>
    failures.push({ tick, message: (error as Error).message, wait });
  return { loop: new Loop({ clock: time.storeClock, tickers, onError }), failures };
}

describe('Loop', () => {
  it('ticks again when the wait of the tick is over', async () => {
    const time = new VirtualTime(0);
    const [fast, slow] = [new RecordingTicker('fast', time, () => 100), new RecordingTicker('slow', time, () => 250)];
    const { loop } = loopOf(time, fast, slow);
    loop.start();
    await time.pass(500);
    await loop.stop();
    expect(fast.at).to.deep.equal([0, 100, 200, 300, 400, 500]);
    expect(slow.at).to.deep.equal([0, 250, 500]);
  });

  it('ticks at once when it is woken, and then again after the wait of the tick', async () => {
    const time = new VirtualTime(0);
    const ticker = new RecordingTicker('ticker', time, () => 1000);
    const { loop } = loopOf(time, ticker);
    loop.start();
    await time.pass(300);
    loop.wake(ticker);
    await time.pass(1000);
    await loop.stop();
    expect(ticker.at).to.deep.equal([0, 300, 1300]);
  });

  it('ticks once more, right after the running tick, when it is woken meanwhile', async () => {
    const time = new VirtualTime(0);
    const ticker = new RecordingTicker('ticker', time, async (call) => {
      if (call === 1) await time.sleep(200);
      return 1000;
    });
    const { loop } = loopOf(time, ticker);
    loop.start();
    await time.pass(50);
    loop.wake(ticker);
    loop.wake(ticker);
    await time.pass(500);
    await loop.stop();
    expect(ticker.at).to.deep.equal([0, 200]);
  });

  it('debounces the ticks of a ticker that asks for it, however often it is woken', async () => {
    const time = new VirtualTime(0);
    const ticker = Object.assign(new RecordingTicker('ticker', time, () => 1000), { debounce: 10 });
    const { loop } = loopOf(time, ticker);
    loop.start();
    for (let turn = 0; turn < 12; turn += 1) {
      await time.pass(4);
      loop.wake(ticker);
    }
    ticker.debounce = 0;
    await time.pass(100);
    loop.wake(ticker);
    await time.pass(5);
    await loop.stop();
    expect(ticker.at).to.deep.equal([0, 10, 20, 30, 40, 50, 148]);
  });

  it('wakes no other ticker, and rejects to wake one that it does not run', async () => {
    const time = new VirtualTime(0);
    const [one, other] = [new RecordingTicker('one', time, () => 1000), new RecordingTicker('other', time, () => 1000)];
    const { loop } = loopOf(time, one, other);
    loop.start();
    await time.pass(10);
    loop.wake(one);
    const stranger = new RecordingTicker('stranger', time, () => 1000);
    expect(() => loop.wake(stranger)).to.throw('This loop does not run the ticker stranger.');
    await time.pass(10);
    await loop.stop();
    expect([one.at, other.at]).to.deep.equal([[0, 10], [0]]);
  });

  it('retries a failing tick after waits that double up to five seconds, and start over after a success', async () => {
    const time = new VirtualTime(0);
    const ticker = new RecordingTicker('ticker', time, (call) => {
      if (call !== 9) throw new Error(`call ${call}`);
      return 10;
    });
    const { loop, failures } = loopOf(time, ticker);
    loop.start();
    await time.pass(100 + 200 + 400 + 800 + 1600 + 3200 + 5000 + 5000 + 10);
    await loop.stop();
    expect(failures.map(({ wait }) => wait)).to.deep.equal([100, 200, 400, 800, 1600, 3200, 5000, 5000, 100]);
    expect(failures.at(-1)).to.deep.equal({ tick: 'ticker', message: 'call 10', wait: 100 });
  });

  it('names the tickers whose tick has not ended for half a minute, until it ends', async () => {
    const time = new VirtualTime(0);
    const held = Promise.withResolvers<Milliseconds>();
    const hanging = new RecordingTicker('hanging', time, () => held.promise);
    const sound = new RecordingTicker('sound', time, () => 10);
    const { loop } = loopOf(time, hanging, sound);
    loop.start();
    await time.pass(29_990);
    expect(loop.hanging).to.deep.equal([]);
    await time.pass(20);
    expect(loop.hanging).to.deep.equal(['hanging']);
    held.resolve(1_000_000);
    await time.pass(10);
    expect(loop.hanging).to.deep.equal([]);
    await loop.stop();
  });

  it('delays no ticker because another one fails or is busy', async () => {
    const time = new VirtualTime(0);
    const busy = new RecordingTicker('busy', time, () => new Promise<never>(() => {}));
    const broken = new RecordingTicker('broken', time, () => Promise.reject(new Error('broken')));
    const sound = new RecordingTicker('sound', time, () => 10);
    const { loop } = loopOf(time, busy, broken, sound);
    loop.start();
    await time.pass(100);
    expect(sound.at).to.have.lengthOf(11);
    void loop.stop();
  });

  it('starts no tick once it is stopped, and stops when the running ones have ended', async () => {
    const time = new VirtualTime(0);
    const long = new RecordingTicker('long', time, async () => {
      await time.sleep(500);
      return 0;
    });
    const idle = new RecordingTicker('idle', time, () => 100_000);
    const { loop } = loopOf(time, long, idle);
    loop.start();
    await time.pass(100);
    let stopped = false;
    const stopping = loop.stop().then(() => {
      stopped = true;
    });
    loop.wake(idle);
    await time.pass(399);
    expect(stopped).to.equal(false);
    await time.pass(1);
    await stopping;
    await time.pass(200_000);
    expect([long.at, idle.at]).to.deep.equal([[0], [0]]);
  });

  it('stops at once while a failed tick waits for its retry', async () => {
    const time = new VirtualTime(0);
    const ticker = new RecordingTicker('ticker', time, () => Promise.reject(new Error('no')));
    const { loop } = loopOf(time, ticker);
    loop.start();
    await time.pass(50);
    await loop.stop();
    await time.pass(10_000);
    expect(ticker.at).to.deep.equal([0]);
  });

  it('never starts when it was stopped before', async () => {
    const time = new VirtualTime(0);
    const ticker = new RecordingTicker('ticker', time, () => 1);
    const { loop } = loopOf(time, ticker);
    await loop.stop();
    loop.start();
    await time.pass(100);
    expect(ticker.at).to.deep.equal([]);
  });

  it('loses no wake and starts no tick after a stop, however starts, wakes, failures and stops coincide', async () => {
    for (let seed = 1; seed <= 300; seed++) {
      const random = new Random(seed);
      const time = new VirtualTime(0);
      let running = 0;
      const runningCounts: number[] = [];
      const tickers = ['a', 'b', 'c'].map(
        (name) =>
          new RecordingTicker(name, time, async () => {
            running += 1;
            runningCounts.push(running);
            try {
              if (random.chance(0.5)) await time.sleep(random.integer(0, 50));
              if (random.chance(0.2)) throw new Error('bad luck');
              return random.integer(0, 100);
            } finally {
              running -= 1;
            }
          }),
      );
      const { loop } = loopOf(time, ...tickers);
      loop.start();
      const calls = () => tickers.map((tick) => tick.at.length);
      for (let step = 0; step < 20; step++) {
        await time.pass(random.integer(0, 40));
        const ticker = random.pick(tickers);
        const before = ticker.at.length;
        loop.wake(ticker);
        // This is longer than any tick or wait after a failure.
        await time.pass(5150);
        expect(ticker.at.length, `seed ${seed}`).to.be.greaterThan(before);
        if (random.chance(0.1)) break;
      }
      const stopping = loop.stop();
      await time.pass(50);
      await stopping;
      expect(running, `seed ${seed}`).to.equal(0);
      expect(Math.max(...runningCounts), `seed ${seed}`).to.be.at.most(3);
      const last = calls();
      for (const ticker of tickers) loop.wake(ticker);
      await time.pass(20_000);
      expect(calls(), `seed ${seed}`).to.deep.equal(last);
    }
  });
});
