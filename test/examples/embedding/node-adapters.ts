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

/** The clock of this machine. */
export const clock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  async sleep(duration, signal) {
    const until = performance.now() + duration;
    // A loop, because a timer may fire a moment early, and takes no more than 24 days.
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

/** A password hasher for programs without logins: it hashes no password and accepts none. */
export const noPasswords: PasswordHasher = {
  hash: () => Promise.reject(new HorariumError('denied', 'This program has no logins, so it stores no passwords.')),
  verify: async () => false,
  needsRehash: () => false,
};

/** A vault that encrypts with AES-256-GCM under one key. The program must store the key: no other decrypts its secrets. */
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
    decrypt(ciphertext, context) {
      const bytes = Buffer.from(ciphertext.slice(ciphertextPrefix.length), 'base64url');
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
