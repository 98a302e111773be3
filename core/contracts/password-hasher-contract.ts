import type { PasswordHasher } from '../secret/password-hasher.ts';
import { assertIs } from './assertions.ts';
import { assert, type Clause, clausesOf } from './clause.ts';

const password = 'correct horse battery';

/**
 * The contract of every password hasher.
 * @param weakHash a hash that weaker settings made.
 */
export function passwordHasherContract(hasher: PasswordHasher, weakHash: string): readonly Clause[] {
  return clausesOf({
    async 'verifies the password that it hashed and no other'() {
      const hash = await hasher.hash(password);
      assert(!hash.includes('correct'), 'A hash must not contain the password', hash);
      assertIs(await hasher.verify(hash, password), true);
      assertIs(await hasher.verify(hash, 'correct horse batter'), false);
      assertIs(await hasher.verify(hash, ''), false);
    },

    async 'never makes the same hash twice'() {
      const [one, other] = [await hasher.hash(password), await hasher.hash(password)];
      assert(one !== other, 'Two hashes of one password must differ', one);
    },

    async 'verifies no password against text that is not a hash'() {
      for (const text of ['', 'plain', '$argon2id$', password]) assertIs(await hasher.verify(text, password), false);
    },

    async 'recognises a hash with weaker settings'() {
      assertIs(hasher.needsRehash(await hasher.hash(password)), false);
      assertIs(hasher.needsRehash(weakHash), true);
      assertIs(hasher.needsRehash('plain'), true);
    },
  });
}
