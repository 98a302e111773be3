import type { Milliseconds } from '@horarium/core/plugin';

const interval: Milliseconds = 60_000;

/** Writes to the log that messages were dropped: one line a minute at most, because anyone may send any number of them. */
export class DroppedMessages {
  readonly #log: (sentence: string) => void;
  readonly #elapsed: () => Milliseconds;
  #writtenAt: Milliseconds = Number.NEGATIVE_INFINITY;
  #unwritten = 0;

  constructor(log: (sentence: string) => void, elapsed: () => Milliseconds) {
    this.#log = log;
    this.#elapsed = elapsed;
  }

  /** @param reason why, as a sentence. */
  drop(reason: string): void {
    const now = this.#elapsed();
    if (now - this.#writtenAt < interval) {
      this.#unwritten += 1;
      return;
    }
    const others = this.#unwritten === 0 ? '' : ` (and ${this.#unwritten} others since the last such line)`;
    this.#writtenAt = now;
    this.#unwritten = 0;
    this.#log(`a message was dropped${others}: ${reason}`);
  }
}
