import { randomBytes, scryptSync, timingSafeEqual } from 'node:crypto';
import type { PasswordHasher } from '@horarium/core';

/** Hashes passwords salted and one-way, but cheaply, because tests create many users; counts verifications. */
export class QuickHasher implements PasswordHasher {
  verifications = 0;

  async hash(password: string): Promise<string> {
    const salt = randomBytes(8);
    return `${salt.toString('hex')}:${derive(password, salt).toString('hex')}`;
  }

  async verify(hash: string, password: string): Promise<boolean> {
    this.verifications++;
    const [salt = '', derived = ''] = hash.split(':');
    const wanted = Buffer.from(derived, 'hex');
    return wanted.length === 16 && timingSafeEqual(wanted, derive(password, Buffer.from(salt, 'hex')));
  }

  /** Hashes that need a rehash, as if made with weaker settings. */
  readonly weak = new Set<string>();

  needsRehash(hash: string): boolean {
    return this.weak.has(hash);
  }
}

function derive(password: string, salt: Buffer): Buffer {
  return scryptSync(password, salt, 16, { N: 2, r: 1, p: 1 });
}
