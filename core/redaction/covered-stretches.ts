/** The stretches of a stream that secrets cover, in order; those that overlap are one. */
export class CoveredStretches {
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  /** The index of the first stretch that was not taken. */
  #first = 0;

  /** Adds a stretch that ends behind all others. */
  add(start: number, end: number): void {
    let joined = start;
    while (this.#ends.length > this.#first && joined < (this.#ends.at(-1) as number)) {
      joined = Math.min(joined, this.#starts.pop() as number);
      this.#ends.pop();
    }
    this.#starts.push(joined);
    this.#ends.push(end);
  }

  /** Takes the stretches that begin before a position. */
  takeBefore(position: number): [start: number, end: number][] {
    const taken: [number, number][] = [];
    for (; this.#first < this.#starts.length && (this.#starts[this.#first] as number) < position; this.#first++)
      taken.push([this.#starts[this.#first] as number, this.#ends[this.#first] as number]);
    if (this.#first * 2 >= this.#starts.length) {
      this.#starts.splice(0, this.#first);
      this.#ends.splice(0, this.#first);
      this.#first = 0;
    }
    return taken;
  }
}
