import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import {
  type Clock,
  ciphertextPrefix,
  type Digests,
  HorariumError,
  type PasswordHasher,
  type Vault,
} from '@horarium/core';

/** The time of this machine. */
export const clock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  async sleep(duration, signal) {
    const until = performance.now() + duration;
    // A timer may fire a moment early, and takes no more than 24 days.
    for (let left = duration; left > 0 && !signal?.aborted; left = until - performance.now())
      await wait(Math.min(Math.ceil(left), 2 ** 31 - 1), undefined, signal ? { signal } : {}).catch(() => undefined);
  },
};

const processKey = randomBytes(32);

export const digests: Digests = {
  random: () => randomBytes(32).toString('base64url'),
  sha256: (text) => createHash('sha256').update(text).digest('hex'),
  keyed: (text) => createHmac('sha256', processKey).update(text).digest('base64'),
};

/** For a program that nobody signs in to. */
export const noPasswords: PasswordHasher = {
  hash: () => Promise.reject(new HorariumError('denied', 'Nobody signs in here, so there are no passwords.')),
  verify: async () => false,
  needsRehash: () => false,
};

/** AES-256-GCM under one key, which the program must keep: what was sealed opens under no other. */
export function vaultOf(key: Uint8Array): Vault {
  const fingerprint = createHmac('sha256', key).update('fingerprint').digest('hex');
  return {
    fingerprint,
    fingerprints: [fingerprint],
    encrypt(plain, context) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
      const encrypted = Buffer.concat([cipher.update(plain), cipher.final()]);
      return ciphertextPrefix + Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString('base64url');
    },
    decrypt(sealed, context) {
      const bytes = Buffer.from(sealed.slice(ciphertextPrefix.length), 'base64url');
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), { authTagLength: 16 });
        decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(12, 28));
        return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString();
      } catch {
        throw new HorariumError('unavailable', 'A stored secret cannot be decrypted.');
      }
    },
    keyOf: () => fingerprint,
    signingKey: (purpose) => createHmac('sha256', key).update(`sign ${purpose}`).digest('base64'),
    hmac: (signingKey) => (text) => createHmac('sha256', Buffer.from(signingKey, 'base64')).update(text).digest('hex'),
  };
}
