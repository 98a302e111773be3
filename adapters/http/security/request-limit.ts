import { type Clock, type Milliseconds, TooManyRequests } from '@horarium/core';

/** For how long a user may send requests at once that saved them up. */
const burst: Milliseconds = 10_000;
/** The part of the thread's time that the requests of one user may take in the long run. */
const share = 0.25;
/** How many lists with `limit=all` are sent at once to one user, and to all. */
const maxLists = { ofUser: 2, inAll: 8 };
/** How many users are kept before those with a full bucket are dropped. */
const minKept = 1000;

/**
 * Limits the requests of each user in this process by a token bucket, which holds those of ten seconds, and those that are
 * under way at once, streams included, to as many as a second may have. A request that holds the thread for long costs as
 * many tokens as cheap ones would in the time in which a quarter of the thread's is that long. One user's flood uses up
 * nothing of another's, of the same company or not, and neither do one user's streams and slow readers shut anybody out.
 */
export class RequestLimit {
  readonly #clock: Pick<Clock, 'elapsed'>;
  readonly #perSecond: number;
  /** How long a bucket takes to gain a request. */
  readonly #interval: Milliseconds;
  /** When the bucket of each user is full again, by the monotonic clock. */
  readonly #fullAt = new Map<number, Milliseconds>();
  #maxKept = minKept;
  readonly #requests = new UnderWay();
  readonly #lists = new UnderWay();

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
    const fullAt = this.#fullAtOf(user, now) + this.#interval;
    const excess = fullAt - now - Math.max(burst, this.#interval);
    // Sums of fractions are not exact.
    if (excess > 1e-6)
      throw new TooManyRequests(
        `You may send ${this.#perSecond} requests a second, fewer that take long; send fewer, or wait.`,
        excess,
      );
    this.#fullAt.set(user, fullAt);
    if (this.#fullAt.size > this.#maxKept) this.#dropFull(now);
  }

  /**
   * Charges a user for what a request that was taken costs beyond that, so that the next ones wait: ten seconds at most,
   * however long it takes.
   * @param before for how long it had used the thread when it was last charged.
   * @param used for how long it has used the thread now.
   */
  charge(user: number, before: Milliseconds, used: Milliseconds): void {
    const cost = this.#costOf(used) - this.#costOf(before);
    if (this.#perSecond === Infinity || cost === 0) return;
    const now = this.#clock.elapsed();
    const latest = now + burst + Math.max(burst, this.#interval);
    this.#fullAt.set(user, Math.min(latest, this.#fullAtOf(user, now) + cost));
  }

  /**
   * Counts a request of a user as under way.
   * @returns a function to call when it is answered.
   * @throws TooManyRequests when the maximum number is under way.
   */
  hold(user: number): () => void {
    if (this.#requests.of(user) >= Math.max(1, this.#perSecond))
      throw new TooManyRequests(
        `${this.#requests.of(user)} of your requests are being answered; wait until one has ended.`,
        1000,
      );
    return this.#requests.add(user);
  }

  /**
   * Counts a list with `limit=all` as being sent to a user.
   * @returns a function to call when it is sent.
   * @throws TooManyRequests when the maximum number is being sent.
   */
  holdList(user: number): () => void {
    const { ofUser, inAll } = maxLists;
    if (this.#lists.of(user) >= ofUser)
      throw new TooManyRequests(
        `${ofUser} lists with limit=all are being sent to you; wait until one has ended, or ask for pages.`,
        1000,
      );
    if (this.#lists.total >= inAll)
      throw new TooManyRequests(
        `${inAll} lists with limit=all are being sent to users; wait until one has ended, or ask for pages.`,
        1000,
      );
    return this.#lists.add(user);
  }

  /** The part of the time in which a bucket fills that a request costs after it has used the thread for so long. */
  #costOf(used: Milliseconds): Milliseconds {
    return Math.max(this.#interval, used / share);
  }

  #fullAtOf(user: number, now: Milliseconds): Milliseconds {
    return Math.max(now, this.#fullAt.get(user) ?? now);
  }

  /** Drops the users whose buckets are full: an unknown user has a full bucket, too. */
  #dropFull(now: Milliseconds): void {
    for (const [user, fullAt] of this.#fullAt) if (fullAt <= now) this.#fullAt.delete(user);
    this.#maxKept = Math.max(minKept, 2 * this.#fullAt.size);
  }
}

/** How many requests of a kind are under way, of each user and in all. */
class UnderWay {
  /** Users without any are not kept. */
  readonly #counts = new Map<number, number>();
  total = 0;

  of(user: number): number {
    return this.#counts.get(user) ?? 0;
  }

  /** @returns a function that ends it. */
  add(user: number): () => void {
    this.#count(user, 1);
    return () => this.#count(user, -1);
  }

  #count(user: number, change: 1 | -1): void {
    const count = this.of(user) + change;
    this.total += change;
    if (count === 0) this.#counts.delete(user);
    else this.#counts.set(user, count);
  }
}
