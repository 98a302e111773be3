/**
 * A counting semaphore: a limited number of callers hold a permit at once; the others wait. Groups of callers take turns,
 * so that none waits for all of another; within a group it is first in, first out.
 */
export class Semaphore {
  /** The callers that wait, by their group; the group whose turn is next comes first. */
  readonly #groups = new Map<string, (() => void)[]>();
  #waiting = 0;
  #free: number;

  constructor(permits: number) {
    this.#free = permits;
  }

  /** How many callers of all groups wait. */
  get waiting(): number {
    return this.#waiting;
  }

  waitingIn(group: string): number {
    return this.#groups.get(group)?.length ?? 0;
  }

  /** Takes a permit if one is free. */
  tryAcquire(): boolean {
    if (this.#free === 0) return false;
    this.#free -= 1;
    return true;
  }

  /** Waits for a permit. Every permit that was taken must be released. */
  async acquire(group = ''): Promise<void> {
    if (this.tryAcquire()) return;
    this.#waiting += 1;
    await new Promise<void>((resolve) => {
      const callers = this.#groups.get(group);
      if (callers) callers.push(resolve);
      else this.#groups.set(group, [resolve]);
    });
  }

  /** Passes the permit to the caller of the next group that has waited longest, so that no later one can overtake it. */
  release(): void {
    const [next] = this.#groups;
    if (!next) {
      this.#free += 1;
      return;
    }
    const [group, callers] = next;
    const first = callers.shift();
    this.#groups.delete(group);
    if (callers.length > 0) this.#groups.set(group, callers);
    this.#waiting -= 1;
    first?.();
  }

  /** Runs the work with a permit. Where one is free, the work starts synchronously: hence `tryAcquire` comes first. */
  async run<T>(work: () => Promise<T>, group = ''): Promise<T> {
    if (!this.tryAcquire()) await this.acquire(group);
    try {
      return await work();
    } finally {
      this.release();
    }
  }
}
