import { HorariumError } from '../errors.ts';
import type { PasswordHasher } from '../secret/password-hasher.ts';

/** Each hash takes 19 MiB and a thread for some milliseconds. */
const atOnce = 4;
/** Whoever would have to wait behind so many is turned away: the answer would come too late anyway. */
const mostWaiting = 64;

/** A hasher that does a few hashes at once, however many ask: signing in cannot use up the machine. */
export class BoundedHasher implements PasswordHasher {
  readonly #hasher: PasswordHasher;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(hasher: PasswordHasher) {
    this.#hasher = hasher;
  }

  /** @throws HorariumError `unavailable` when too many wait already; so does `verify`. */
  hash(password: string): Promise<string> {
    return this.#inTurn(() => this.#hasher.hash(password));
  }

  verify(hash: string, password: string): Promise<boolean> {
    return this.#inTurn(() => this.#hasher.verify(hash, password));
  }

  needsRehash(hash: string): boolean {
    return this.#hasher.needsRehash(hash);
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running === atOnce) {
      if (this.#waiting.length === mostWaiting)
        throw new HorariumError('unavailable', 'Too many passwords are being checked; try again in a moment.');
      // Whoever is done hands its place over, so that nobody slips in between.
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else this.#running += 1;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }
}
