import { expect } from 'chai';
import { BoundedHasher } from '#core/user/bounded-hasher';
import { refusal } from '../../support/worlds/record-world.ts';

describe('BoundedHasher', () => {
  it('computes four hashes at once, queues 64 more in order, and refuses the next', async () => {
    const begun: { password: string; end: (fails?: boolean) => void }[] = [];
    const begin = (password: string) =>
      new Promise<boolean>((resolve, reject) => {
        begun.push({ password, end: (fails) => (fails ? reject(new Error('broken')) : resolve(true)) });
      });
    const hasher = new BoundedHasher({
      hash: (password) => begin(password).then(() => 'hash'),
      verify: (_hash, password) => begin(password),
      needsRehash: (hash) => hash === 'old',
    });
    const asked = Array.from({ length: 68 }, (_, n) => hasher.verify('', String(n)).catch((error) => error.message));
    expect(begun.map(({ password }) => password)).to.deep.equal(['0', '1', '2', '3']);
    expect((await refusal(hasher.hash('one too many'))).code).to.equal('unavailable');
    begun[1]?.end(true);
    expect(await asked[1]).to.equal('broken');
    await Promise.resolve();
    expect(begun.map(({ password }) => password)).to.deep.equal(['0', '1', '2', '3', '4']);
    for (let n = 0; n < 68; n++) {
      begun[n]?.end();
      await asked[n];
    }
    expect(begun).to.have.length(68);
    const last = hasher.hash('free again');
    begun[68]?.end();
    expect(await last).to.equal('hash');
    expect([hasher.needsRehash('old'), hasher.needsRehash('new')]).to.deep.equal([true, false]);
  });
});
