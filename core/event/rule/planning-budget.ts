/**
 * How much the rules of one company may select from one event, and hand on to its jobs, in characters and list elements. A
 * list repeats the values beside it for each of its elements, so that a small event could otherwise make gigabytes.
 */
export const maxPlanned = 4 * 1024 * 1024;

/** What is left of that for one company and one event. Each selector spends it, also one that finds nothing. */
export class PlanningBudget {
  #left = maxPlanned;

  get spent(): number {
    return maxPlanned - this.#left;
  }

  /** @throws Error with a sentence when more is spent than there was. */
  spend(amount: number): void {
    this.#left -= amount;
    if (this.#left < 0)
      throw new Error(`the jobs of one event get at most ${maxPlanned} characters in a company, and these are more`);
  }
}
