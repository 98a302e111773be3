import { nextTick } from 'node:process';
import { setImmediate as heard } from 'node:timers/promises';
import type { Clock, Milliseconds } from '@horarium/core';
import type { Runner } from './sql-dialect.ts';
import type { Transactions } from './sql-store.ts';
import type { SqliteConnection } from './sqlite-connection.ts';

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
  #readers: Waiting[] = [];
  readonly #writers: Waiting[] = [];
  #serving = false;

  constructor(connection: SqliteConnection, clock: Clock) {
    this.#connection = connection;
    this.#clock = clock;
  }

  run<T>(readOnly: boolean, work: (runner: Runner) => Promise<T>): Promise<T> {
    return new Promise<unknown>((resolve, reject) => {
      const waiting = { work: () => work(this.#connection), resolve, reject };
      (readOnly ? this.#readers : this.#writers).push(waiting);
      if (!this.#serving) void this.#serve();
    }) as Promise<T>;
  }

  async #serve(): Promise<void> {
    this.#serving = true;
    while (this.#readers.length + this.#writers.length > 0) {
      const readers = this.#readers;
      this.#readers = [];
      if (readers.length > 0) await this.#turn(readers, () => this.#read(readers));
      const [writer] = this.#writers.splice(0, 1);
      if (writer) await this.#turn([writer], () => this.#write(writer));
    }
    this.#serving = false;
  }

  /** Has the connection for itself; who it is for hears when that fails. */
  async #turn(waiting: readonly Waiting[], work: () => Promise<void>): Promise<void> {
    await this.#connection.turns.take();
    try {
      await work();
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    } finally {
      this.#connection.turns.give();
    }
  }

  /**
   * Whoever waits reads the same moment. So do those who come right behind, before this process has turned to anything
   * else: a request, say, that reads who asks and then what was asked for.
   */
  async #read(readers: readonly Waiting[]): Promise<void> {
    await this.#connection.begin(true);
    for (let next = readers; next.length > 0; next = await this.#behind())
      for (const { work, resolve, reject } of next) await work().then(resolve, reject);
    // There is nothing to commit, and this cannot fail.
    this.#connection.rollback();
  }

  /** Who wants to read once all promises have been kept that could be; nobody when there is somebody to write first. */
  async #behind(): Promise<readonly Waiting[]> {
    if (this.#readers.length === 0 && this.#writers.length === 0)
      await new Promise<void>((resolve) => nextTick(resolve));
    return this.#writers.length > 0 ? [] : this.#readers.splice(0);
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
