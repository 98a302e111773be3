import { signal } from '@preact/signals';
import { type Change, onChanges } from './live.ts';

interface Source<T> {
  /** How many keys are remembered. Beyond, all are read again. */
  readonly max: number;
  /** Divides the keys that views mention at once into those that are read together. */
  readonly batchesOf: (keys: readonly string[]) => readonly (readonly string[])[];
  /** Reads the values of some keys. Those that are missing in the result are null. */
  readonly readSome: (keys: readonly string[]) => Promise<ReadonlyMap<string, T>>;
  /** Returns the keys whose values may be others after a change. */
  readonly changedBy: (change: Change, known: ReadonlyMap<string, T | null>) => readonly string[];
}

/**
 * Values that views mention by keys while they are drawn: those that are mentioned at once are read together, and read again
 * once they have changed, where a view still mentions them.
 */
export class Mentioned<T> {
  readonly #source: Source<T>;
  readonly #known = signal<ReadonlyMap<string, T | null>>(new Map());
  readonly #asked = new Set<string>();
  readonly #wanted = new Set<string>();

  constructor(source: Source<T>) {
    this.#source = source;
    onChanges((changes) => this.#forget(changes));
  }

  /**
   * Returns the value of a key. The view is drawn again once it has arrived, and keeps it while it is read again.
   * @returns undefined until it is known; null = there is none that the user may see.
   */
  get(key: string): T | null | undefined {
    const value = this.#known.value.get(key);
    if (!this.#asked.has(key)) {
      if (this.#asked.size >= this.#source.max) this.#asked.clear();
      this.#asked.add(key);
      if (this.#wanted.size === 0) queueMicrotask(() => this.#readWanted());
      this.#wanted.add(key);
    }
    return value;
  }

  #forget(changes: readonly Change[] | null): void {
    const known = this.#known.peek();
    const changed = changes?.flatMap((change) => this.#source.changedBy(change, known)) ?? [...this.#asked];
    let isStale = false;
    for (const key of changed) isStale = this.#asked.delete(key) || isStale;
    // The views that mention them are drawn again, and ask for them.
    if (isStale) this.#known.value = new Map(known);
  }

  #readWanted(): void {
    const keys = [...this.#wanted];
    this.#wanted.clear();
    for (const batch of this.#source.batchesOf(keys)) void this.#read(batch);
  }

  async #read(keys: readonly string[]): Promise<void> {
    try {
      const found = await this.#source.readSome(keys);
      const next = new Map(this.#known.peek());
      for (const key of keys) next.set(key, found.get(key) ?? null);
      this.#known.value = next;
    } catch {
      // They are read again once a view mentions them again.
      for (const key of keys) this.#asked.delete(key);
    }
  }
}

/** Divides keys into parts of a size. */
export function partsOf(keys: readonly string[], size: number): readonly (readonly string[])[] {
  return Array.from({ length: Math.ceil(keys.length / size) }, (_, part) => keys.slice(part * size, (part + 1) * size));
}
