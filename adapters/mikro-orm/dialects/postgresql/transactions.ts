import type { Instant } from '@horarium/core';
import type pg from 'pg';
import type { Answer, Runner } from '../../sql-dialect.ts';
import type { Transactions } from '../../sql-store.ts';

/** Transactions side by side, each on a connection of its own. */
export class PostgresTransactions implements Transactions {
  readonly oneAtATime = false;
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  async run<T>(readOnly: boolean | 'once', work: (runner: Runner) => Promise<T>): Promise<T> {
    // Readers see one moment throughout, as they do in the stores that run one transaction at a time. A single statement
    // does so by itself.
    const begin = readOnly ? 'start transaction isolation level repeatable read read only' : 'begin';
    const transaction = new PostgresTransaction(await this.#pool.connect(), readOnly === 'once' ? null : begin);
    let result: T;
    try {
      result = await work(transaction);
    } catch (error) {
      await transaction.rollback();
      throw error;
    }
    const committed = transaction.commit();
    // Where nothing was written nothing depends on it.
    if (readOnly) committed.catch(() => undefined);
    else await committed;
    return result;
  }
}

/** One transaction, begun together with its first statement where that takes anything. */
class PostgresTransaction implements Runner {
  time: Instant | undefined;
  readonly #client: pg.PoolClient;
  readonly #begin: string | null;
  #beginning: Promise<void> | undefined;
  #begun = false;
  #waiting = false;

  constructor(client: pg.PoolClient, begin: string | null) {
    this.#client = client;
    this.#begin = begin;
  }

  async run(sql: string, parameters: readonly unknown[]): Promise<Answer> {
    if (this.#begin !== null)
      this.#beginning ??= this.#client.query(this.#begin).then(() => {
        this.#begun = true;
      });
    // A statement is run even where the transaction could not be begun. One that reads does no harm then.
    this.#waiting ||= !sql.startsWith('select ');
    if (this.#waiting && !this.#begun) await this.#beginning;
    const [{ rows, rowCount }] = await Promise.all([this.#client.query(sql, [...parameters]), this.#beginning]);
    return { rows, affected: rowCount ?? 0 };
  }

  /**
   * The transactions that count as ended, and so all that can be seen: what a server knows that was started later may
   * be another history, from a backup.
   */
  async state(): Promise<string> {
    const sql =
      'select pg_postmaster_start_time()::text || pg_current_snapshot()::text as "state", clock_timestamp() as "now"';
    const { rows } = await this.run(sql, []);
    this.time ??= rows[0]?.['now'] as Instant;
    return rows[0]?.['state'] as string;
  }

  /** Resolves when it is committed, and gives its connection back. */
  async commit(): Promise<void> {
    const done = await this.#end('commit');
    // That is how one ends in which a statement has failed.
    if (done === 'ROLLBACK') throw new Error('PostgreSQL has undone a transaction that was to be committed.');
  }

  /** Never fails: a transaction that cannot be rolled back has lost its connection, which ends it as well. */
  async rollback(): Promise<void> {
    await this.#end('rollback').catch(() => undefined);
  }

  async #end(how: 'commit' | 'rollback'): Promise<string | undefined> {
    try {
      return this.#beginning && (await this.#client.query(how)).command;
    } finally {
      this.#client.release();
    }
  }
}
