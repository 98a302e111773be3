import type { OutputLog } from './output-log.ts';

/** How many lines are searched before the page may do something else. */
const slice = 5000;

/** Finds lines that have a text, and goes on where it stopped as lines are added. */
export class FindLines {
  readonly #log: OutputLog;
  readonly needle: string;
  /** The numbers of the lines that have it, from 0, those that were dropped counted. */
  readonly found: number[] = [];
  #next = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param needle in lower case. */
  constructor(log: OutputLog, needle: string) {
    this.#log = log;
    this.needle = needle;
  }

  /** Searches the lines that were added since. @param onFound is called after each part of them. */
  search(onFound: () => void): void {
    if (this.needle === '' || this.#timer !== undefined || this.#isDone) return;
    const step = () => {
      this.#timer = undefined;
      const { count, dropped } = this.#log;
      this.#next = Math.max(this.#next, dropped);
      const end = Math.min(count + dropped, this.#next + slice);
      for (; this.#next < end; this.#next++) {
        const text = this.#log.line(this.#next - dropped)?.text ?? '';
        if (text.toLowerCase().includes(this.needle)) this.found.push(this.#next);
      }
      onFound();
      if (!this.#isDone) this.#timer = setTimeout(step);
    };
    step();
  }

  get #isDone(): boolean {
    return this.#next >= this.#log.count + this.#log.dropped;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
