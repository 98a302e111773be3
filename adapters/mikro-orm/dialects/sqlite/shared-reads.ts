import { setImmediate } from 'node:timers';
import type { SqlTransaction, StoredSettings } from '../../dialect.ts';
import type { SqliteConnection } from './connection.ts';

/**
 * Shares one read transaction of a connection among concurrent readers, so that they see one snapshot. Readers that come
 * within the same turn of the event loop join too: a request reads the account, then the record, and others have arrived
 * with it. No reader joins while a writer waits for the connection, so that readers do not starve writers.
 */
export class SharedReads {
  readonly #connection: SqliteConnection;
  readonly #transaction: SqlTransaction;
  /** The settings in the open snapshot, by their names. */
  readonly #settings = new Map<string, StoredSettings>();
  #opening: Promise<void> | null = null;
  #open = false;
  /** Whether the end of the turn ends the transaction, unless there are readers then. */
  #isEnding = false;
  #readers = 0;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
    this.#transaction = {
      run: (sql, parameters) => connection.run(sql, parameters),
      now: () => connection.now(),
      tryLock: () => connection.tryLock(),
      settings: (names) => this.#settingsOf(names),
    };
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
    const reading = work(this.#transaction);
    reading.then(this.#leave, this.#leave);
    return reading;
  }

  #settingsOf(names: readonly string[]): StoredSettings {
    const key = names.join();
    const known = this.#settings.get(key) ?? this.#connection.settings(names);
    this.#settings.set(key, known);
    return known;
  }

  readonly #leave = (): void => {
    this.#readers -= 1;
    if (this.#readers > 0 || this.#isEnding) return;
    this.#isEnding = true;
    setImmediate(this.#end);
  };

  readonly #end = (): void => {
    this.#isEnding = false;
    if (!this.#open || this.#readers > 0) return;
    this.#open = false;
    this.#settings.clear();
    // There is nothing to commit, and a rollback cannot fail.
    this.#connection.rollback();
    this.#connection.mutex.release();
  };
}
