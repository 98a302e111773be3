import type { PasswordHasher } from '@horarium/core';
import { expect } from 'chai';

/**
 * The tests that every password hasher must pass.
 * @param weakHash a hash that weaker settings made.
 */
export function passwordHasherContract(hasher: PasswordHasher, weakHash: string): void {
  it('verifies the password that it hashed and no other', async () => {
    const hash = await hasher.hash('correct horse battery');
    expect(hash).not.to.include('correct');
    expect(await hasher.verify(hash, 'correct horse battery')).to.equal(true);
    expect(await hasher.verify(hash, 'correct horse batter')).to.equal(false);
    expect(await hasher.verify(hash, '')).to.equal(false);
  });

  it('never makes the same hash twice', async () => {
    expect(await hasher.hash('correct horse battery')).not.to.equal(await hasher.hash('correct horse battery'));
  });

  it('verifies no password against text that is not a hash', async () => {
    for (const text of ['', 'plain', '$argon2id$', 'correct horse battery'])
      expect(await hasher.verify(text, 'correct horse battery')).to.equal(false);
  });

  it('recognises a hash with weaker settings', async () => {
    expect(hasher.needsRehash(await hasher.hash('correct horse battery'))).to.equal(false);
    expect(hasher.needsRehash(weakHash)).to.equal(true);
    expect(hasher.needsRehash('plain')).to.equal(true);
  });
}
