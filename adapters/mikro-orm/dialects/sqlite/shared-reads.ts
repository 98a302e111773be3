import { setImmediate } from 'node:timers';
import type { Milliseconds } from '@horarium/core';
import type { SqlTransaction, StoredSettings } from '../../dialect.ts';
import type { SqliteConnection } from './connection.ts';

/**
 * How long after its last reader a snapshot is joined. What another process has committed by then, and told of, cannot have
 * come here in that time.
 */
const maxIdle: Milliseconds = 0.1;

/**
 * Shares one read transaction of a connection among concurrent readers, so that they see one snapshot. Readers that come
 * right after them join too: a request reads the account, then the record, and others have arrived with it. No reader joins
 * while a writer waits for the connection, so that readers do not starve writers.
 */
export class SharedReads {
  readonly #connection: SqliteConnection;
  readonly #transaction: SqlTransaction;
  /** The settings in the open snapshot, by the lists of names that were asked for. */
  readonly #settings = new Map<readonly string[], StoredSettings>();
  #opening: Promise<void> | null = null;
  #open = false;
  /** Whether the end of the turn of the event loop ends the transaction, unless there are readers then. */
  #isEnding = false;
  #readers = 0;
  /** Monotonic time at which the last reader left. */
  #leftAt: Milliseconds = 0;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
    connection.endIdleRead = () => this.#end();
    this.#transaction = {
      run: (sql, parameters) => connection.run(sql, parameters),
      now: () => connection.now(),
      tryLock: () => connection.tryLock(),
      settings: (names) => this.#settingsOf(names),
    };
  }

  run<T>(work: (transaction: SqlTransaction) => Promise<T>): Promise<T> {
    const { mutex } = this.#connection;
    if (this.#readers === 0 && this.#open && performance.now() - this.#leftAt > maxIdle) this.#end();
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
    const reading = work(this.#transaction);
    reading.then(this.#leave, this.#leave);
    return reading;
  }

  #settingsOf(names: readonly string[]): StoredSettings {
    const known = this.#settings.get(names) ?? this.#connection.settings(names);
    this.#settings.set(names, known);
    return known;
  }

  readonly #leave = (): void => {
    this.#readers -= 1;
    if (this.#readers > 0) return;
    this.#leftAt = performance.now();
    if (this.#isEnding) return;
    this.#isEnding = true;
    setImmediate(() => {
      this.#isEnding = false;
      this.#end();
    });
  };

  /** Ends the transaction, unless it has readers. */
  #end(): void {
    if (!this.#open || this.#readers > 0) return;
    this.#open = false;
    this.#settings.clear();
    // There is nothing to commit, and a rollback cannot fail.
    this.#connection.rollback();
    this.#connection.mutex.release();
  }
}
