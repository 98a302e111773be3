import { expect } from 'chai';
import { BoundedHasher } from '#core/user/bounded-hasher';
import { refusal } from '../../support/worlds/record-world.ts';

describe('BoundedHasher', () => {
  it('computes four hashes at a time, queues 64 more of one group in order, and rejects the 69th with unavailable', async () => {
    const computations: { password: string; finish: (fails?: boolean) => void }[] = [];
    const compute = (password: string) =>
      new Promise<boolean>((resolve, reject) => {
        computations.push({ password, finish: (fails) => (fails ? reject(new Error('broken')) : resolve(true)) });
      });
    const hasher = new BoundedHasher({
      hash: (password) => compute(password).then(() => 'hash'),
      verify: (_hash, password) => compute(password),
      needsRehash: (hash) => hash === 'old',
    });
    const results = Array.from({ length: 68 }, (_, n) => hasher.verify('', String(n)).catch((error) => error.message));
    expect(computations.map(({ password }) => password)).to.deep.equal(['0', '1', '2', '3']);
    expect((await refusal(hasher.hash('one too many'))).code).to.equal('unavailable');
    computations[1]?.finish(true);
    expect(await results[1]).to.equal('broken');
    await Promise.resolve();
    expect(computations.map(({ password }) => password)).to.deep.equal(['0', '1', '2', '3', '4']);
    for (let n = 0; n < 68; n++) {
      computations[n]?.finish();
      await results[n];
    }
    expect(computations).to.have.length(68);
    const last = hasher.hash('after the queue is empty');
    computations[68]?.finish();
    expect(await last).to.equal('hash');
    expect([hasher.needsRehash('old'), hasher.needsRehash('new')]).to.deep.equal([true, false]);
  });

  it('gives groups turns, so that many guesses from many networks do not delay or refuse a right password', async () => {
    const begun: string[] = [];
    const finish: (() => void)[] = [];
    const hasher = new BoundedHasher({
      hash: async () => 'hash',
      verify: (_hash, password) => {
        begun.push(password);
        return new Promise((resolve) => finish.push(() => resolve(true)));
      },
      needsRehash: () => false,
    });
    const guesses = Array.from({ length: 200 }, (_, n) => hasher.verify('', `guess ${n}`, `network ${n % 4}`));
    const right = hasher.verify('', 'right', 'network of the right one');
    for (let n = 0; n <= 200; n++) {
      finish[n]?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(begun.indexOf('right')).to.equal(8);
    expect(await right).to.equal(true);
    await Promise.all(guesses);
  });
});
