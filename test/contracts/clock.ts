import type { Clock } from '@horarium/core';
import { expect } from 'chai';

/** The contract of every clock. `pass` lets at least that many milliseconds pass. */
export function clockContract(clock: Clock, pass: (milliseconds: number) => Promise<void> | void): void {
  it('goes forward', async () => {
    const [now, elapsed] = [clock.now(), clock.elapsed()];
    await pass(20);
    expect(clock.now()).to.be.at.least(now + 19);
    expect(clock.elapsed()).to.be.at.least(elapsed + 19);
  });

  it('sleeps at least as long as it is asked to', async () => {
    const before = clock.elapsed();
    const sleep = clock.sleep(15);
    await pass(20);
    await sleep;
    expect(clock.elapsed() - before).to.be.at.least(15);
  });

  it('wakes at once when the signal aborts, also from a sleep longer than a timer can be', async () => {
    const before = clock.elapsed();
    const abort = new AbortController();
    const sleep = clock.sleep(2 ** 40, abort.signal);
    abort.abort();
    await sleep;
    await clock.sleep(2 ** 40, abort.signal);
    expect(clock.elapsed() - before).to.be.below(1000);
  });

  it('does not wake early from a sleep longer than a timer can be', async () => {
    const abort = new AbortController();
    let awake = false;
    const sleep = clock.sleep(2 ** 40, abort.signal).then(() => {
      awake = true;
    });
    await pass(30);
    expect(awake).to.equal(false);
    abort.abort();
    await sleep;
  });

  it('removes its listener from the signal when it wakes by itself', async () => {
    const abort = new AbortController();
    let listeners = 0;
    const { signal } = abort;
    const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
    signal.addEventListener = (...given: Parameters<typeof add>) => {
      listeners++;
      add(...given);
    };
    signal.removeEventListener = (...given: Parameters<typeof remove>) => {
      listeners--;
      remove(...given);
    };
    const sleep = clock.sleep(1, signal);
    await pass(5);
    await sleep;
    expect(listeners).to.equal(0);
  });
}
