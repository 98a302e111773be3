import { LruCache } from '../registry/lru-cache.ts';
import { versionSetting } from './setting.ts';
import type { Tables } from './store.ts';
import type { CacheRegion } from './table.ts';

/** Caches what is made of the rows of a region, for as long as its version is the same: see `QueryCache`. */
export class ReadCache<T extends {}> {
  readonly #region: CacheRegion;
  readonly #values: LruCache<T>;
  #version = '';

  constructor(region: CacheRegion, max: number) {
    this.#region = region;
    this.#values = new LruCache(max);
  }

  /**
   * @param key names what is read
   * @param read its result is shared, so that no caller may change it; undefined is not cached, so that guesses do not
   *   displace what exists
   */
  async get(tables: Tables, key: string, read: () => Promise<T | undefined>): Promise<T | undefined> {
    const version = (await tables.setting(versionSetting(this.#region))) ?? '';
    if (version !== this.#version) {
      this.#values.clear();
      this.#version = version;
    }
    const cached = this.#values.get(key);
    if (cached !== undefined) return cached;
    const value = await read();
    // A reader of another version may have replaced the entry meanwhile.
    if (value !== undefined && version === this.#version) this.#values.set(key, value);
    return value;
  }
}
