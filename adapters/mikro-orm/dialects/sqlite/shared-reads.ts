import { nextTick } from 'node:process';
import type { SqlTransaction } from '../../dialect.ts';
import type { SqliteConnection } from './connection.ts';

/**
 * Shares one read transaction of a connection among concurrent readers, so that they see one snapshot. A reader that
 * comes within the same turn of the event loop joins too: a request reads the account, then the record. No reader joins
 * while a writer waits for the connection, so that readers do not starve writers.
 */
export class SharedReads {
  readonly #connection: SqliteConnection;
  #opening: Promise<void> | null = null;
  #open = false;
  #readers = 0;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  run<T>(work: (transaction: SqlTransaction) => Promise<T>): Promise<T> {
    const { mutex } = this.#connection;
    if (this.#open && mutex.waiting === 0) return this.#read(work);
    if (mutex.tryAcquire() && this.#tryBegin()) return this.#read(work);
    return this.#wait(work);
  }

  /**
   * Begins a transaction for a reader that holds the mutex; releases the mutex where that fails or another process
   * locks the file.
   */
  #tryBegin(): boolean {
    this.#open = this.#connection.tryBegin(true);
    if (!this.#open) this.#connection.mutex.release();
    return this.#open;
  }

  async #wait<T>(work: (transaction: SqlTransaction) => Promise<T>): Promise<T> {
    this.#opening ??= this.#begin();
    await this.#opening;
    return this.#read(work);
  }

  async #begin(): Promise<void> {
    await this.#connection.mutex.acquire();
    try {
      await this.#connection.begin(true);
      this.#open = true;
    } catch (error) {
      this.#connection.mutex.release();
      throw error;
    } finally {
      this.#opening = null;
    }
  }

  #read<T>(work: (transaction: SqlTransaction) => Promise<T>): Promise<T> {
    this.#readers += 1;
    const reading = work(this.#connection);
    reading.then(this.#leave, this.#leave);
    return reading;
  }

  readonly #leave = (): void => {
    this.#readers -= 1;
    // A follow-up read arrives before the microtasks of this turn have run.
    if (this.#readers === 0) nextTick(this.#end);
  };

  readonly #end = (): void => {
    if (!this.#open || this.#readers > 0) return;
    this.#open = false;
    // There is nothing to commit, and a rollback cannot fail.
    this.#connection.rollback();
    this.#connection.mutex.release();
  };
}
