/** Something that only one may use at a time; the others get it in the order in which they came. */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  #taken = false;

  /** Whether somebody waits. */
  get wanted(): boolean {
    return this.#waiting.length > 0;
  }

  /** Resolves when it is one's turn. Whoever took it must give it back. */
  async take(): Promise<void> {
    if (!this.takeIfFree()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Takes it when nobody has it, and says whether that was so. */
  takeIfFree(): boolean {
    if (this.#taken) return false;
    this.#taken = true;
    return true;
  }

  give(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#taken = false;
  }
}
