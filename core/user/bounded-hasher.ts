import { HorariumError } from '../errors.ts';
import { Semaphore } from '../loop/semaphore.ts';
import type { PasswordHasher } from '../secret/password-hasher.ts';

/** The most hashes that are computed at once; each takes 19 MiB and a thread for some milliseconds. */
const maxAtOnce = 4;
/** The most callers of one group that wait for a hash; the result of a further one would come too late anyway. */
const maxWaitingInGroup = 64;
/** The most callers that wait for a hash: as many as there are connections, unless more are allowed. */
const maxWaiting = 1000;

/**
 * Limits how many hashes are computed at once, so that logins cannot use up the machine. Groups of callers take turns, so
 * that those who guess from some addresses do not keep others from signing in.
 */
export class BoundedHasher implements PasswordHasher {
  readonly #hasher: PasswordHasher;
  readonly #semaphore = new Semaphore(maxAtOnce);

  constructor(hasher: PasswordHasher) {
    this.#hasher = hasher;
  }

  /** @throws HorariumError `unavailable` when too many wait already; so does `verify`. */
  hash(password: string): Promise<string> {
    return this.#run(() => this.#hasher.hash(password), '');
  }

  /** @param group of callers that share their turns, such as those from one network. */
  verify(hash: string, password: string, group = ''): Promise<boolean> {
    return this.#run(() => this.#hasher.verify(hash, password), group);
  }

  needsRehash(hash: string): boolean {
    return this.#hasher.needsRehash(hash);
  }

  async #run<T>(work: () => Promise<T>, group: string): Promise<T> {
    if (this.#semaphore.waiting >= maxWaiting || this.#semaphore.waitingIn(group) >= maxWaitingInGroup)
      throw new HorariumError('unavailable', 'Too many passwords are being checked; try again in a moment.');
    return this.#semaphore.run(work, group);
  }
}
