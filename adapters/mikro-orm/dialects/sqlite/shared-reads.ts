import { setImmediate } from 'node:timers';
import type { Milliseconds } from '@horarium/core';
import type { StoredSetting } from '@horarium/core/store';
import type { SqlTransaction } from '../../dialect.ts';
import type { SqliteConnection } from './connection.ts';

/**
 * How long after its last reader a snapshot is joined: less than a message takes from another process, so that no reader
 * misses a commit that such a message acknowledges.
 */
const maxIdle: Milliseconds = 0.1;

/**
 * Shares one read transaction of a connection among concurrent readers, so that they see one snapshot. Readers that come
 * right after them join too: a request reads the account, then the record, and others have arrived with it. No reader joins
 * while a writer waits for the connection, so that readers do not starve writers. A reader resolves only once the disk has
 * what it saw, like the writers of that: those that need not wait for the disk make no reader wait.
 */
export class SharedReads {
  readonly #connection: SqliteConnection;
  readonly #transaction: SqlTransaction;
  /** The settings in the open snapshot, by the lists of names that were asked for. */
  readonly #settings = new Map<readonly string[], readonly StoredSetting[]>();
  #opening: Promise<void> | null = null;
  #open = false;
  /** Whether the end of the turn of the event loop ends the transaction, if it is idle then. */
  #isEnding = false;
  #readers = 0;
  /** Monotonic time at which the last reader of the open transaction left; null = it has readers, or waits for the first. */
  #idleSince: Milliseconds | null = null;

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
    if (this.#idleSince !== null && performance.now() - this.#idleSince > maxIdle) this.#end();
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
    this.#idleSince = null;
    const reading = work(this.#transaction);
    reading.then(this.#leave, this.#leave);
    // Nothing is committed on the connection while the transaction is open.
    const { flushing } = this.#connection;
    return flushing ? reading.then((result) => flushing.then(() => result)) : reading;
  }

  #settingsOf(names: readonly string[]): readonly StoredSetting[] {
    const known = this.#settings.get(names) ?? this.#connection.settings(names);
    this.#settings.set(names, known);
    return known;
  }

  readonly #leave = (): void => {
    this.#readers -= 1;
    if (this.#readers > 0) return;
    this.#idleSince = performance.now();
    if (this.#isEnding) return;
    this.#isEnding = true;
    setImmediate(() => {
      this.#isEnding = false;
      this.#end();
    });
  };

  /** Ends the transaction if it is idle. */
  #end(): void {
    if (this.#idleSince === null) return;
    this.#idleSince = null;
    this.#open = false;
    this.#settings.clear();
    // There is nothing to commit, and a rollback cannot fail.
    this.#connection.rollback();
    this.#connection.mutex.release();
  }
}
