import { HorariumError } from '../errors.ts';
import { Semaphore } from '../loop/semaphore.ts';
import type { PasswordHasher } from '../secret/password-hasher.ts';

/** The most hashes that are computed at once; each takes 19 MiB and a thread for some milliseconds. */
const maxAtOnce = 4;
/** The most callers that wait for a hash; a further one is rejected, because its result would come too late anyway. */
const maxWaiting = 64;

/** Limits how many hashes are computed at once, so that logins cannot use up the machine. */
export class BoundedHasher implements PasswordHasher {
  readonly #hasher: PasswordHasher;
  readonly #semaphore = new Semaphore(maxAtOnce);

  constructor(hasher: PasswordHasher) {
    this.#hasher = hasher;
  }

  /** @throws HorariumError `unavailable` when too many wait already; so does `verify`. */
  hash(password: string): Promise<string> {
    return this.#run(() => this.#hasher.hash(password));
  }

  verify(hash: string, password: string): Promise<boolean> {
    return this.#run(() => this.#hasher.verify(hash, password));
  }

  needsRehash(hash: string): boolean {
    return this.#hasher.needsRehash(hash);
  }

  async #run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#semaphore.waiting >= maxWaiting)
      throw new HorariumError('unavailable', 'Too many passwords are being checked; try again in a moment.');
    return this.#semaphore.run(work);
  }
}
