/** Caches values by key; beyond the limit it drops the least recently used ones. */
export class LruCache<V extends {}> {
  readonly #max: number;
  /** In the order of use, once it is half full: a Map iterates in the order of insertion. */
  readonly #entries = new Map<string, { readonly value: V; readonly size: number }>();
  #size = 0;
  #latest: string | undefined;

  /** @param max how large its values may be together; each counts 1 unless its size is passed. */
  constructor(max: number) {
    this.#max = max;
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    // The latest key needs no new place in the order, and as long as there is much room nothing depends on the order.
    if (entry !== undefined && key !== this.#latest && this.#size > this.#max / 2) {
      this.#entries.delete(key);
      this.#entries.set(key, entry);
      this.#latest = key;
    }
    return entry?.value;
  }

  set(key: string, value: V, size = 1): void {
    this.#delete(key);
    this.#entries.set(key, { value, size });
    this.#size += size;
    this.#latest = key;
    while (this.#size > this.#max) this.#delete(this.#entries.keys().next().value as string);
  }

  /** Throws what `make` throws, and caches nothing then. */
  getOrMake(key: string, make: (key: string) => V): V {
    const cached = this.get(key);
    if (cached !== undefined) return cached;
    const value = make(key);
    this.set(key, value);
    return value;
  }

  #delete(key: string): void {
    this.#size -= this.#entries.get(key)?.size ?? 0;
    this.#entries.delete(key);
  }
}
