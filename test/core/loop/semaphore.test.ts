import { expect } from 'chai';
import { Semaphore } from '#core/loop/semaphore';

/** Resolves when all pending promise callbacks have run. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('Semaphore', () => {
  it('grants as many permits as it has, and queues further callers in order', async () => {
    const semaphore = new Semaphore(2);
    const began: number[] = [];
    const ends: (() => void)[] = [];
    const all = [0, 1, 2, 3].map((n) =>
      semaphore.run(() => {
        began.push(n);
        return new Promise<void>((resolve) => ends.push(resolve));
      }),
    );
    await settled();
    expect([began, semaphore.waiting]).to.deep.equal([[0, 1], 2]);
    ends[1]?.();
    await settled();
    expect([began, semaphore.waiting]).to.deep.equal([[0, 1, 2], 1]);
    ends[0]?.();
    await settled();
    for (const end of ends) end();
    await Promise.all(all);
    expect([began, semaphore.waiting]).to.deep.equal([[0, 1, 2, 3], 0]);
  });

  it('passes a released permit to the waiting caller, not to one that arrives meanwhile', async () => {
    const semaphore = new Semaphore(1);
    await semaphore.acquire();
    const order: string[] = [];
    const first = semaphore.acquire().then(() => order.push('first'));
    semaphore.release();
    const second = semaphore.acquire().then(() => order.push('second'));
    await first;
    semaphore.release();
    await second;
    expect(order).to.deep.equal(['first', 'second']);
  });

  it('releases its permit when the work fails', async () => {
    const semaphore = new Semaphore(1);
    const failed = semaphore.run(() => Promise.reject(new Error('broken')));
    expect(await failed.catch((error: Error) => error.message)).to.equal('broken');
    expect(await semaphore.run(async () => 'done')).to.equal('done');
  });
});
