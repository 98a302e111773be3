/** Caches values by key; beyond the limit it drops the least recently used one. */
export class LruCache<V extends {}> {
  readonly #max: number;
  /** In the order of use: a Map iterates in the order of insertion. */
  readonly #values = new Map<string, V>();
  #latest: string | undefined;

  constructor(max: number) {
    this.#max = max;
  }

  get(key: string): V | undefined {
    const value = this.#values.get(key);
    // The latest key needs no new place in the order; most callers ask for the same key again and again.
    if (value !== undefined && key !== this.#latest) this.#append(key, value);
    return value;
  }

  set(key: string, value: V): void {
    this.#append(key, value);
    if (this.#values.size > this.#max) this.#values.delete(this.#values.keys().next().value as string);
  }

  /** Throws what `make` throws, and caches nothing then. */
  getOrMake(key: string, make: (key: string) => V): V {
    const cached = this.get(key);
    if (cached !== undefined) return cached;
    const value = make(key);
    this.set(key, value);
    return value;
  }

  clear(): void {
    this.#values.clear();
    this.#latest = undefined;
  }

  #append(key: string, value: V): void {
    this.#values.delete(key);
    this.#values.set(key, value);
    this.#latest = key;
  }
}
