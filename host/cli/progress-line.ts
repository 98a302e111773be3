import type { Io } from './io.ts';

/** Shows at a terminal how far a command is, in one line of the error output that is overwritten; elsewhere nothing. */
export class ProgressLine {
  readonly #io: Io;

  constructor(io: Io) {
    this.#io = io;
  }

  show(text: string): void {
    if (this.#io.machine.terminal) void this.#io.err(`\r\u001b[K${text}`);
  }

  async end(): Promise<void> {
    if (this.#io.machine.terminal) await this.#io.err('\r\u001b[K');
  }
}
