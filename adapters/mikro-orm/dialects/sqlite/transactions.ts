import { setImmediate } from 'node:timers/promises';
import type { Clock, Milliseconds, TransactionOptions } from '@horarium/core';
import type { SqlTransaction, Transactions } from '../../dialect.ts';
import type { SqliteConnection } from './connection.ts';
import { SharedReads } from './shared-reads.ts';

interface QueuedWrite {
  readonly work: () => Promise<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

interface FinishedWrite extends QueuedWrite {
  readonly result: unknown;
}

/** Limits a group commit: how many writers share one, and how long the first of them waits for the others. */
const maxGroupSize = 64;
const maxGroupWait: Milliseconds = 10;

/**
 * Runs the transactions of one connection one after another, with group commit: a commit waits for the disk however
 * little was written, so writers that queue up meanwhile share it, each in a savepoint that is rolled back alone when it
 * fails. A writer resolves only after the commit, and readers see nothing that is not committed.
 */
export class SqliteTransactions implements Transactions {
  readonly oneAtATime = true;
  readonly #connection: SqliteConnection;
  readonly #clock: Clock;
  readonly #reads: SharedReads;
  readonly #writers: QueuedWrite[] = [];
  #serving = false;

  constructor(connection: SqliteConnection, clock: Clock) {
    this.#connection = connection;
    this.#clock = clock;
    this.#reads = new SharedReads(connection);
  }

  run<T>({ readOnly = false }: TransactionOptions, work: (transaction: SqlTransaction) => Promise<T>): Promise<T> {
    if (readOnly) return this.#reads.run(work);
    return new Promise<unknown>((resolve, reject) => {
      this.#writers.push({ work: () => work(this.#connection), resolve, reject });
      if (!this.#serving) void this.#serve();
    }) as Promise<T>;
  }

  async #serve(): Promise<void> {
    this.#serving = true;
    for (let next = this.#writers.shift(); next; next = this.#writers.shift()) {
      await this.#connection.mutex.acquire();
      try {
        await this.#write(next);
      } catch (error) {
        next.reject(error);
      } finally {
        this.#connection.mutex.release();
      }
    }
    this.#serving = false;
  }

  async #write(first: QueuedWrite): Promise<void> {
    await this.#connection.begin(false);
    const finished: FinishedWrite[] = [];
    const start = this.#clock.elapsed();
    try {
      finished.push({ ...first, result: await first.work() });
      // Waits one turn of the event loop, in which requests that have arrived queue their writes.
      if (this.#writers.length === 0) await setImmediate();
      while (finished.length < maxGroupSize && this.#clock.elapsed() - start < maxGroupWait) {
        const next = this.#writers.shift();
        if (!next) break;
        await this.#join(next, finished);
      }
      this.#execute('commit');
    } catch (error) {
      this.#connection.rollback();
      for (const { reject } of finished) reject(error);
      throw error;
    }
    for (const { resolve, result } of finished) resolve(result);
  }

  /** Runs one more writer in a savepoint of the open transaction. */
  async #join(next: QueuedWrite, finished: FinishedWrite[]): Promise<void> {
    try {
      this.#execute('savepoint writer');
      finished.push({ ...next, result: await next.work() });
    } catch (error) {
      next.reject(error);
      if (!this.#connection.inTransaction) throw error;
      this.#execute('rollback to writer');
    }
    this.#execute('release writer');
  }

  #execute(sql: string): void {
    this.#connection.prepare(sql).run();
  }
}
