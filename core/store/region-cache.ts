import { LruCache } from '../registry/lru-cache.ts';
import { versionSetting } from './setting.ts';
import type { Tables } from './store.ts';
import type { CacheRegion } from './table.ts';

/** Caches what is made of the rows of a region, for as long as its version is the same: see `QueryCache`. */
export class RegionCache<T extends {}> {
  readonly #region: CacheRegion;
  readonly #max: number;
  #version: string | null | undefined;
  #values: LruCache<T>;

  /** @param max how large its values may be together, as they count in an `LruCache`. */
  constructor(region: CacheRegion, max: number) {
    this.#region = region;
    this.#max = max;
    this.#values = new LruCache(max);
  }

  /** Returns the values of the version that a transaction sees; a reader of an older version goes on with its own. */
  async valuesIn(tables: Tables): Promise<LruCache<T>> {
    const version = await tables.setting(versionSetting(this.#region));
    if (version !== this.#version) {
      this.#version = version;
      this.#values = new LruCache(this.#max);
    }
    return this.#values;
  }

  /**
   * @param key names what is read
   * @param read its result is shared, so that no caller may change it; undefined is not cached, so that guesses do not
   *   displace what exists
   */
  async get(tables: Tables, key: string, read: () => Promise<T | undefined>): Promise<T | undefined> {
    const values = await this.valuesIn(tables);
    const cached = values.get(key);
    if (cached !== undefined) return cached;
    const value = await read();
    if (value !== undefined) values.set(key, value);
    return value;
  }
}
