/** Divides long work into steps of about the same size, between which other work may be done. */
export class StepCounter {
  readonly #size: number;
  #done = 0;

  constructor(size: number) {
    this.#size = size;
  }

  /** Counts work that was done. @returns whether it completes a step. */
  completes(work: number): boolean {
    this.#done += work;
    if (this.#done < this.#size) return false;
    this.#done = 0;
    return true;
  }
}
