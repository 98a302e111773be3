import type { Clock, Milliseconds } from '../loop/clock.ts';
import type { Digests } from './digests.ts';

const lifetime: Milliseconds = 5 * 60_000;
const most = 10_000;

/**
 * Remembers for some minutes which password was found to fit which stored hash, so that a client which sends its
 * password with every request pays for the slow hash once. It holds neither passwords nor anything to guess them by,
 * and what it says counts only for the very hash that the user's row still has, and for the address that proved it:
 * the same password from elsewhere is a sign-in of its own.
 */
export class VerifiedPasswords {
  readonly #digests: Digests;
  readonly #clock: Clock;
  readonly #proven = new Map<string, { readonly hash: string; readonly until: Milliseconds }>();

  constructor(digests: Digests, clock: Clock) {
    this.#digests = digests;
    this.#clock = clock;
  }

  holds(login: string, password: string, address: string | null, hash: string): boolean {
    const proof = this.#proven.get(this.#key(login, password, address));
    return proof !== undefined && proof.hash === hash && proof.until > this.#clock.elapsed();
  }

  add(login: string, password: string, address: string | null, hash: string): void {
    const key = this.#key(login, password, address);
    this.#proven.delete(key);
    this.#proven.set(key, { hash, until: this.#clock.elapsed() + lifetime });
    // A Map keeps the order of insertion, so its first key is the oldest.
    if (this.#proven.size > most) this.#proven.delete(this.#proven.keys().next().value as string);
  }

  #key(login: string, password: string, address: string | null): string {
    return this.#digests.keyed(JSON.stringify([login, password, address]));
  }
}
