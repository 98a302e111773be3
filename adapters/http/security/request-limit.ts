import { type Clock, type Milliseconds, TooManyRequests } from '@horarium/core';

/** For how long a user may send requests at once that saved them up. */
const burst: Milliseconds = 10_000;
/** How many users are kept before those with a full bucket are dropped. */
const minKept = 1000;

/**
 * Limits the requests of each user in this process by a token bucket, which holds those of ten seconds. One user's flood
 * uses up nothing of another's, of the same company or not.
 */
export class RequestLimit {
  readonly #clock: Pick<Clock, 'elapsed'>;
  readonly #perSecond: number;
  /** How long a bucket takes to gain a request. */
  readonly #interval: Milliseconds;
  /** When the bucket of each user is full again, by the monotonic clock. */
  readonly #fullAt = new Map<number, Milliseconds>();
  #maxKept = minKept;

  /** @param perSecond requests of one user; Infinity = no limit. */
  constructor(perSecond: number, clock: Pick<Clock, 'elapsed'>) {
    this.#perSecond = perSecond;
    this.#interval = 1000 / perSecond;
    this.#clock = clock;
  }

  /** The number of users that are kept. */
  get size(): number {
    return this.#fullAt.size;
  }

  /** Takes a request out of the bucket of a user. @throws TooManyRequests when it is empty. */
  take(user: number): void {
    if (this.#perSecond === Infinity) return;
    const now = this.#clock.elapsed();
    const fullAt = Math.max(now, this.#fullAt.get(user) ?? now) + this.#interval;
    const excess = fullAt - now - Math.max(burst, this.#interval);
    // Sums of fractions are not exact.
    if (excess > 1e-6)
      throw new TooManyRequests(`You may send ${this.#perSecond} requests a second; send fewer, or wait.`, excess);
    this.#fullAt.set(user, fullAt);
    if (this.#fullAt.size > this.#maxKept) this.#dropFull(now);
  }

  /** Drops the users whose buckets are full, as those of users are that it does not know. */
  #dropFull(now: Milliseconds): void {
    for (const [user, fullAt] of this.#fullAt) if (fullAt <= now) this.#fullAt.delete(user);
    this.#maxKept = Math.max(minKept, 2 * this.#fullAt.size);
  }
}
