import { LruCache } from '../registry/lru-cache.ts';
import type { Tables } from './store.ts';

/**
 * Caches rows for as long as the store is in one state: any write, on whatever host, takes effect at once. It is for
 * what every request reads.
 */
export class ReadCache<T extends {}> {
  readonly #values: LruCache<T>;
  #state = '';

  constructor(max: number) {
    this.#values = new LruCache(max);
  }

  /**
   * @param tables of a transaction that only reads
   * @param key names what is read
   * @param read its result is shared, so that no caller may change it; undefined is not cached, so that guesses do not
   *   displace what exists
   */
  async get(tables: Tables, key: string, read: () => Promise<T | undefined>): Promise<T | undefined> {
    const state = await tables.state();
    if (state !== this.#state) {
      this.#values.clear();
      this.#state = state;
    }
    const cached = this.#values.get(key);
    if (cached !== undefined) return cached;
    const value = await read();
    // A reader of another state may have replaced the entry meanwhile.
    if (value !== undefined && state === this.#state) this.#values.set(key, value);
    return value;
  }
}
