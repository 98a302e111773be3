// `hash` is no named import: an older Node, which lacks it, would fail to link this module before it is refused.
import crypto, { createHmac, createSecretKey, randomBytes, randomFillSync } from 'node:crypto';
import type { Digests } from '../user/digests.ts';

/** The size of a random text in bytes. */
const randomSize = 32;

/** Computes digests with OpenSSL, and random texts with the operating system's source. */
export class NodeDigests implements Digests {
  readonly #key = createSecretKey(randomBytes(32));
  /** Random bytes that are drawn together, because drawing takes longer than the bytes do; used ones are overwritten. */
  readonly #pool = Buffer.alloc(128 * randomSize);
  #used = this.#pool.length;

  random(): string {
    if (this.#used === this.#pool.length) {
      randomFillSync(this.#pool);
      this.#used = 0;
    }
    const drawn = this.#pool.subarray(this.#used, this.#used + randomSize);
    this.#used += randomSize;
    const text = drawn.toString('base64url');
    drawn.fill(0);
    return text;
  }

  sha256(text: string): string {
    return crypto.hash('sha256', text, 'hex');
  }

  keyed(text: string): string {
    return createHmac('sha256', this.#key).update(text).digest('base64');
  }
}
