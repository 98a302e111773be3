import { nextTick } from 'node:process';
import type { Runner } from '../../sql-dialect.ts';
import type { SqliteConnection } from './connection.ts';

/**
 * The read transactions of one connection. Whoever reads at the same time reads the same moment, and so do those who
 * come right behind, before this process has turned to anything else: a request, say, that reads who asks and then what
 * was asked for. Nobody joins once somebody waits for the connection, so that readers cannot keep writers away.
 */
export class SqliteReading {
  readonly #connection: SqliteConnection;
  #opening: Promise<void> | null = null;
  #open = false;
  #readers = 0;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  run<T>(work: (runner: Runner) => Promise<T>): Promise<T> {
    const { turns } = this.#connection;
    if (this.#open && !turns.wanted) return this.#read(work);
    if (turns.takeIfFree() && this.#beganAtOnce()) return this.#read(work);
    return this.#wait(work);
  }

  /** With the turn taken; it is given back where that fails, or the file is held by somebody else. */
  #beganAtOnce(): boolean {
    this.#open = this.#connection.beganAtOnce(true);
    if (!this.#open) this.#connection.turns.give();
    return this.#open;
  }

  async #wait<T>(work: (runner: Runner) => Promise<T>): Promise<T> {
    this.#opening ??= this.#begin();
    await this.#opening;
    return this.#read(work);
  }

  async #begin(): Promise<void> {
    await this.#connection.turns.take();
    try {
      await this.#connection.begin(true);
      this.#open = true;
    } catch (error) {
      this.#connection.turns.give();
      throw error;
    } finally {
      this.#opening = null;
    }
  }

  #read<T>(work: (runner: Runner) => Promise<T>): Promise<T> {
    this.#readers += 1;
    const reading = work(this.#connection);
    reading.then(this.#left, this.#left);
    return reading;
  }

  readonly #left = (): void => {
    this.#readers -= 1;
    // Who comes right behind is there once all promises have been kept that could be.
    if (this.#readers === 0) nextTick(this.#end);
  };

  readonly #end = (): void => {
    if (!this.#open || this.#readers > 0) return;
    this.#open = false;
    // There is nothing to commit, and this cannot fail.
    this.#connection.rollback();
    this.#connection.turns.give();
  };
}
