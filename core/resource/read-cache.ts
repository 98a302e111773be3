import type { Clock, Instant, Milliseconds } from '../loop/clock.ts';
import type { Tables } from './store.ts';

export interface ReadCacheOptions {
  readonly clock: Clock;
  /** What is kept at once; beyond it the oldest goes. */
  readonly most: number;
  /** Runs the work in a transaction that only reads. */
  open<R>(work: (tables: Tables) => Promise<R>): Promise<R>;
}

/** Its result is given to others as well, so nobody may change it. Undefined is not kept: guesses take nobody's place. */
type Read<T> = (tables: Tables) => Promise<T | undefined>;

/** One look into the store, for all who ask before it begins. */
interface Look<T> {
  readonly asked: Map<string, Read<T>>;
  readonly answer: Promise<{ readonly found: ReadonlyMap<string, T | undefined>; readonly now: Instant }>;
}

/** How long a look is waited for that others have begun: one may hang, on a connection that has gone. */
const patience: Milliseconds = 1000;

/**
 * What was read from a store, kept for as long as nobody has written anything to it, on whatever host: a change counts
 * at once, as if nothing were kept. It is for what every request reads: those who come while somebody looks into the
 * store share the next look.
 */
export class ReadCache<T extends {}> {
  readonly #options: ReadCacheOptions;
  readonly #kept = new Map<string, T>();
  #state = '';
  #next: Look<T> | undefined;
  #looking: Promise<unknown> = Promise.resolve();
  /** Stopwatch time at which the last look began. */
  #began: Milliseconds = Number.NEGATIVE_INFINITY;

  constructor(options: ReadCacheOptions) {
    this.#options = options;
  }

  /**
   * What is in the store now, or was at a moment since this was called, and which moment that is.
   * @param key names what is read
   */
  async get(key: string, read: Read<T>): Promise<{ readonly found: T | undefined; readonly now: Instant }> {
    const hangs = this.#options.clock.elapsed() - this.#began > patience;
    if (!this.#next || hangs) this.#next = this.#lookAfter(hangs ? null : this.#looking);
    this.#next.asked.set(key, read);
    const { found, now } = await this.#next.answer;
    return { found: found.get(key), now };
  }

  #lookAfter(last: Promise<unknown> | null): Look<T> {
    const asked: Look<T>['asked'] = new Map();
    const begin = async () => {
      await last;
      if (this.#next === look) this.#next = undefined;
      this.#began = this.#options.clock.elapsed();
      const answer = this.#options.open((tables) => this.#answer(tables, asked));
      this.#looking = answer.catch(() => undefined);
      return answer;
    };
    const look: Look<T> = { asked, answer: begin() };
    return look;
  }

  async #answer(tables: Tables, asked: Look<T>['asked']): Look<T>['answer'] {
    const state = await tables.state();
    if (state !== this.#state) {
      this.#kept.clear();
      this.#state = state;
    }
    const get = async ([key, read]: [string, Read<T>]) => [key, await this.#get(tables, state, key, read)] as const;
    return { found: new Map(await Promise.all([...asked].map(get))), now: await tables.now() };
  }

  async #get(tables: Tables, state: string, key: string, read: Read<T>): Promise<T | undefined> {
    const kept = this.#kept.get(key);
    if (kept !== undefined) return kept;
    const found = await read(tables);
    // Somebody who sees another state may have come meanwhile.
    if (found === undefined || state !== this.#state) return found;
    this.#kept.set(key, found);
    // A Map keeps the order of insertion, so its first key is the oldest.
    if (this.#kept.size > this.#options.most) this.#kept.delete(this.#kept.keys().next().value as string);
    return found;
  }
}
