/** A counting semaphore: a limited number of callers hold a permit at once; the others wait, first in, first out. */
export class Semaphore {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(permits: number) {
    this.#free = permits;
  }

  /** How many callers wait. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Takes a permit if one is free. */
  tryAcquire(): boolean {
    if (this.#free === 0) return false;
    this.#free -= 1;
    return true;
  }

  /** Waits for a permit. Every permit that was taken must be released. */
  async acquire(): Promise<void> {
    if (!this.tryAcquire()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Passes the permit to the caller that has waited longest, so that no later one can overtake it. */
  release(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free += 1;
  }

  /** Runs the work with a permit. Where one is free, the work starts synchronously: hence `tryAcquire` comes first. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (!this.tryAcquire()) await this.acquire();
    try {
      return await work();
    } finally {
      this.release();
    }
  }
}
