import { createHmac, createSecretKey, hash, randomBytes } from 'node:crypto';
import type { Digests } from '../user/digests.ts';

/** Computes digests with OpenSSL, and random texts with the operating system's source. */
export class NodeDigests implements Digests {
  readonly #key = createSecretKey(randomBytes(32));

  random(): string {
    return randomBytes(32).toString('base64url');
  }

  sha256(text: string): string {
    return hash('sha256', text, 'hex');
  }

  keyed(text: string): string {
    return createHmac('sha256', this.#key).update(text).digest('base64');
  }
}
