import type { PasswordHasher } from '@horarium/core';
import type { Algorithm, Options } from '@node-rs/argon2';

const memoryCost = 19_456;
const timeCost = 2;
const parallelism = 1;

// The library declares Algorithm as a const enum: only its type can be imported; 2 is its Argon2id.
const options: Options = { algorithm: 2 satisfies Algorithm.Argon2id as Algorithm, memoryCost, timeCost, parallelism };

/** Hashes passwords with argon2id, 19 MiB and two passes, as OWASP recommends, on threads beside the event loop. */
export const argon2Hasher: PasswordHasher = {
  async hash(password) {
    const { hash } = await library();
    return hash(password, options);
  },

  async verify(stored, password) {
    const { verify } = await library();
    try {
      return await verify(stored, password);
    } catch {
      // The library rejects a stored text that is no argon2 hash; no password matches it.
      return false;
    }
  },

  needsRehash(stored) {
    const [, memory, time, threads] = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$/.exec(stored) ?? [];
    return Number(memory) !== memoryCost || Number(time) !== timeCost || Number(threads) !== parallelism;
  },
};

/** Imported when first used: a command, and a service without sign-ins, need none of it. */
function library() {
  return import('@node-rs/argon2');
}
