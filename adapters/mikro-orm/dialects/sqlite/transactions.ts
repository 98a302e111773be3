import { setImmediate as heard } from 'node:timers/promises';
import type { Clock, Milliseconds } from '@horarium/core';
import type { Runner } from '../../sql-dialect.ts';
import type { Transactions } from '../../sql-store.ts';
import type { SqliteConnection } from './connection.ts';
import { SqliteReading } from './reading.ts';

interface Waiting {
  readonly work: () => Promise<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

interface Written extends Waiting {
  readonly result: unknown;
}

/** How many writers are committed together at most, and how long the first of them is kept waiting for the others. */
const mostTogether = 64;
const longestTogether: Milliseconds = 10;

/**
 * The transactions of one connection, one after another. A commit waits for the disk, however little was written: those
 * that want to write while another one does are committed together, each undone by itself when it fails. Nobody hears
 * of success before the commit, and readers see nothing of what is not committed.
 */
export class SqliteTransactions implements Transactions {
  readonly oneAtATime = true;
  readonly #connection: SqliteConnection;
  readonly #clock: Clock;
  readonly #reading: SqliteReading;
  readonly #writers: Waiting[] = [];
  #serving = false;

  constructor(connection: SqliteConnection, clock: Clock) {
    this.#connection = connection;
    this.#clock = clock;
    this.#reading = new SqliteReading(connection);
  }

  run<T>(readOnly: boolean, work: (runner: Runner) => Promise<T>): Promise<T> {
    if (readOnly) return this.#reading.run(work);
    return new Promise<unknown>((resolve, reject) => {
      this.#writers.push({ work: () => work(this.#connection), resolve, reject });
      if (!this.#serving) void this.#serve();
    }) as Promise<T>;
  }

  async #serve(): Promise<void> {
    this.#serving = true;
    for (let next = this.#writers.shift(); next; next = this.#writers.shift()) {
      await this.#connection.turns.take();
      try {
        await this.#write(next);
      } catch (error) {
        next.reject(error);
      } finally {
        this.#connection.turns.give();
      }
    }
    this.#serving = false;
  }

  async #write(first: Waiting): Promise<void> {
    await this.#connection.begin(false);
    const written: Written[] = [];
    const began = this.#clock.elapsed();
    try {
      written.push({ ...first, result: await first.work() });
      // Who else is about to write is heard of when this process listens again.
      if (this.#writers.length === 0) await heard();
      while (written.length < mostTogether && this.#clock.elapsed() - began < longestTogether) {
        const next = this.#writers.shift();
        if (!next) break;
        await this.#join(next, written);
      }
      this.#do('commit');
    } catch (error) {
      this.#connection.rollback();
      for (const { reject } of written) reject(error);
      throw error;
    }
    for (const { resolve, result } of written) resolve(result);
  }

  /** Adds one to those that have written. */
  async #join(next: Waiting, written: Written[]): Promise<void> {
    try {
      this.#do('savepoint one');
      written.push({ ...next, result: await next.work() });
    } catch (error) {
      next.reject(error);
      if (!this.#connection.inTransaction) throw error;
      this.#do('rollback to one');
    }
    this.#do('release one');
  }

  #do(sql: string): void {
    this.#connection.prepare(sql).run();
  }
}
