import type { Io } from './io.ts';

/**
 * Shows at a terminal what a command does and how far it is, in one line of the error output that is overwritten, and erased at
 * the end, also of a command that fails; elsewhere nothing.
 */
export class ProgressLine implements AsyncDisposable {
  readonly #io: Pick<Io, 'machine' | 'err' | 'environment' | 'width'>;
  #shown = '';
  /** What was counted last, and its percent. */
  #counted = '';

  constructor(io: Pick<Io, 'machine' | 'err' | 'environment' | 'width'>) {
    this.#io = io;
  }

  show(text: string): void {
    const { machine, environment, width = 80 } = this.#io;
    if (!machine.terminal || environment['TERM'] === 'dumb' || text === this.#shown) return;
    this.#shown = text;
    // A line that wraps could not be erased.
    void this.#io.err(`\r\u001b[K${text.slice(0, Math.max(width - 1, 1))}`);
  }

  /** Shows `12,000 of 40,000 rows, 30 %`, again for each percent. */
  count(done: number, total: number, things: string): void {
    const counted = `${things} ${percent(done / Math.max(total, 1))}`;
    if (counted === this.#counted) return;
    this.#counted = counted;
    this.show(`${grouped(done)} of ${grouped(total)} ${things}, ${percent(done / Math.max(total, 1))}`);
  }

  /** Erases the line, so that other output may follow. */
  async end(): Promise<void> {
    if (this.#shown !== '') await this.#io.err('\r\u001b[K');
    this.#shown = '';
    this.#counted = '';
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.end();
  }
}

/** Writes a part of a whole, from 0 to 1, as percent: `30 %`. */
export function percent(share: number): string {
  return `${Math.floor(share * 100)} %`;
}

/** Writes a number for people: `12,000`. */
export function grouped(number: number): string {
  return String(number).replace(/\B(?=(?:\d{3})+$)/g, ',');
}
