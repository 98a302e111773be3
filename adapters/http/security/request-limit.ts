import { type Clock, type Milliseconds, TooManyRequests } from '@horarium/core';

/** For how long a user may send requests at once that saved them up. */
const burst: Milliseconds = 10_000;
/** How many users are kept before those with a full bucket are dropped. */
const minKept = 1000;

/**
 * Limits the requests of each user in this process by a token bucket, which holds those of ten seconds, and those that are
 * under way at once, streams included, to as many as a second may have. One user's flood uses up nothing of another's, of
 * the same company or not, and neither do one user's streams and slow readers shut anybody out.
 */
export class RequestLimit {
  readonly #clock: Pick<Clock, 'elapsed'>;
  readonly #perSecond: number;
  /** How long a bucket takes to gain a request. */
  readonly #interval: Milliseconds;
  /** When the bucket of each user is full again, by the monotonic clock. */
  readonly #fullAt = new Map<number, Milliseconds>();
  #maxKept = minKept;
  /** How many requests of each user are under way; users without any are not kept. */
  readonly #underWay = new Map<number, number>();

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

  /**
   * Counts a request of a user as under way.
   * @returns a function to call when it is answered.
   * @throws TooManyRequests when as many are under way as may be.
   */
  hold(user: number): () => void {
    const count = (this.#underWay.get(user) ?? 0) + 1;
    if (count > Math.max(1, this.#perSecond))
      throw new TooManyRequests(`${count - 1} of your requests are being answered; wait until one has ended.`, 1000);
    this.#underWay.set(user, count);
    return () => this.#release(user);
  }

  #release(user: number): void {
    const left = (this.#underWay.get(user) ?? 1) - 1;
    if (left === 0) this.#underWay.delete(user);
    else this.#underWay.set(user, left);
  }

  /** Drops the users whose buckets are full, as those of users are that it does not know. */
  #dropFull(now: Milliseconds): void {
    for (const [user, fullAt] of this.#fullAt) if (fullAt <= now) this.#fullAt.delete(user);
    this.#maxKept = Math.max(minKept, 2 * this.#fullAt.size);
  }
}
