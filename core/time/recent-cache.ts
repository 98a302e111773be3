/**
 * Keeps what was made last. Two generations instead of an order: a hit costs one look-up, at least `limit` of the
 * latest keys are kept and at most twice as many, and what was not asked for meanwhile is made anew.
 */
export class RecentCache<T> {
  readonly #limit: number;
  readonly #make: (key: string) => T;
  #young = new Map<string, T>();
  #old = new Map<string, T>();

  constructor(limit: number, make: (key: string) => T) {
    this.#limit = limit;
    this.#make = make;
  }

  /** Throws what `make` throws, and keeps nothing then. */
  get(key: string): T {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const value = this.#old.get(key) ?? this.#make(key);
    if (this.#young.size >= this.#limit) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
    return value;
  }
}
