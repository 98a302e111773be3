import type { Tables } from './store.ts';

/**
 * What was read from a store, kept for as long as nobody has written anything to it, on whatever host: a change counts
 * at once, as if nothing were kept. It is for what every request reads.
 */
export class ReadCache<T extends {}> {
  readonly #most: number;
  readonly #kept = new Map<string, T>();
  #state = '';

  /** @param most what is kept at once; beyond it the oldest goes */
  constructor(most: number) {
    this.#most = most;
  }

  /**
   * @param tables of a transaction that only reads
   * @param key names what is read
   * @param read its result is given to others as well, so nobody may change it; undefined is not kept, so that guesses
   *   take no place from what is there
   */
  async get(tables: Tables, key: string, read: () => Promise<T | undefined>): Promise<T | undefined> {
    const state = await tables.state();
    if (state !== this.#state) {
      this.#kept.clear();
      this.#state = state;
    }
    const kept = this.#kept.get(key);
    if (kept !== undefined) return kept;
    const found = await read();
    // Somebody who sees another state may have come meanwhile.
    if (found === undefined || state !== this.#state) return found;
    this.#kept.set(key, found);
    // A Map keeps the order of insertion, so its first key is the oldest.
    if (this.#kept.size > this.#most) this.#kept.delete(this.#kept.keys().next().value as string);
    return found;
  }
}
