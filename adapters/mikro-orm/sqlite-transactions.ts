import { setImmediate as heard } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Runner } from './sql-dialect.ts';
import type { Transactions } from './sql-store.ts';
import { type SqliteConnection, whenFree } from './sqlite-connection.ts';

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
const longestTogether = 10;

/**
 * The transactions of one connection, one after another. A commit waits for the disk, however little was written: those
 * that want to write while another one does are committed together, each undone by itself when it fails. Nobody hears
 * of success before the commit, and readers see nothing of what is not committed.
 */
export class SqliteTransactions implements Transactions {
  readonly oneAtATime = true;
  readonly #connection: SqliteConnection;
  readonly #kysely: Kysely<unknown>;
  readonly #patience: number;
  #readers: Waiting[] = [];
  readonly #writers: Waiting[] = [];
  #serving = false;

  /** @param kysely uses the connection as well, for migrations; each has it for itself. */
  constructor(connection: SqliteConnection, kysely: Kysely<unknown>, patience: number) {
    this.#connection = connection;
    this.#kysely = kysely;
    this.#patience = patience;
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
    try {
      await this.#kysely.connection().execute(work);
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
  }

  /** Whoever waits reads the same moment. */
  async #read(readers: readonly Waiting[]): Promise<void> {
    await this.#begin('begin');
    for (const { work, resolve, reject } of readers) await work().then(resolve, reject);
    this.#do('commit');
  }

  async #write(first: Waiting): Promise<void> {
    await this.#begin('begin immediate');
    const written: Written[] = [];
    const began = performance.now();
    try {
      written.push({ ...first, result: await first.work() });
      // Who else is about to write is heard of when this process listens again.
      if (this.#writers.length === 0) await heard();
      while (written.length < mostTogether && performance.now() - began < longestTogether) {
        const next = this.#writers.shift();
        if (!next) break;
        await this.#join(next, written);
      }
      this.#do('commit');
    } catch (error) {
      // Some errors, such as a full disk, make SQLite undo everything by itself.
      if (this.#connection.inTransaction) this.#do('rollback');
      for (const { reject } of written) reject(error);
      throw error;
    }
    for (const { resolve, result } of written) resolve(result);
  }

  /** Adds one to those that have written. */
  async #join(next: Waiting, written: Written[]): Promise<void> {
    this.#do('savepoint one');
    try {
      written.push({ ...next, result: await next.work() });
    } catch (error) {
      next.reject(error);
      if (!this.#connection.inTransaction) throw error;
      this.#do('rollback to one');
    }
    this.#do('release one');
  }

  /** Another process may hold the file. */
  async #begin(sql: string): Promise<void> {
    await whenFree(this.#patience, () => this.#do(sql));
  }

  #do(sql: string): void {
    this.#connection.prepare(sql).run();
  }
}
