import type { Instant, TransactionOptions } from '@horarium/core';
import type pg from 'pg';
import type { SqlResult, SqlTransaction, Transactions } from '../../dialect.ts';
import { codeOf } from './errors.ts';

/** Runs transactions concurrently, each on a connection of its own. */
export class PostgresTransactions implements Transactions {
  readonly oneAtATime = false;
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  async run<T>(
    { readOnly = false, singleStatement = false }: TransactionOptions,
    work: (transaction: SqlTransaction) => Promise<T>,
  ): Promise<T> {
    // Read committed, whatever is the default there: writers lock what they decide by, and then read what was committed.
    // Repeatable read gives readers one snapshot, as in the stores that run one transaction at a time; a single
    // statement has one by itself.
    const begin = `start transaction isolation level ${readOnly ? 'repeatable read read only' : 'read committed'}`;
    const transaction = new PostgresTransaction(await this.#pool.connect(), readOnly && singleStatement ? null : begin);
    let result: T;
    try {
      result = await work(transaction);
    } catch (error) {
      await transaction.rollback();
      throw error;
    }
    const committed = transaction.commit();
    // The result of a transaction that only read does not depend on its commit.
    if (readOnly) committed.catch(() => undefined);
    else await committed;
    return result;
  }
}

/** What a transaction asks the server besides its rows, whichever driver runs its statements. */
export abstract class ServerFunctions implements SqlTransaction {
  /** The time by the clock of the database, once a statement has returned it. */
  #time: Instant | undefined;

  abstract run(sql: string, parameters: readonly unknown[]): Promise<SqlResult>;

  async now(): Promise<Instant> {
    this.#time ??= timeOf((await this.run(`select ${clock}`, [])).rows[0]);
    return this.#time;
  }

  async tryLock(name: string): Promise<boolean> {
    const sql = 'select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as "got"';
    return (await this.run(sql, [`horarium:${name}`])).rows[0]?.['got'] === true;
  }
}

// SQLSTATE of in_failed_sql_transaction: an earlier statement of the transaction has failed.
const aborted = '25P02';

/** Selects the time of the database's clock: as a number, because drivers return times in different forms. */
export const clock = 'extract(epoch from clock_timestamp()) * 1000 as "now"';

function timeOf(row: Record<string, unknown> | undefined): Instant {
  return Math.floor(Number(row?.['now']));
}

/** Executes the statements of one transaction; its `begin` travels with the first of them. */
class PostgresTransaction extends ServerFunctions {
  readonly #client: pg.PoolClient;
  readonly #begin: string | null;
  #beginning: Promise<void> | undefined;
  #begun = false;
  #needsBegin = false;
  /** The error of the statement because of which later ones fail. */
  #failure: unknown;

  constructor(client: pg.PoolClient, begin: string | null) {
    super();
    this.#client = client;
    this.#begin = begin;
  }

  override async run(sql: string, parameters: readonly unknown[]): Promise<SqlResult> {
    if (this.#begin !== null)
      this.#beginning ??= this.#client.query(this.#begin).then(() => {
        this.#begun = true;
      });
    // A statement that may write waits until `begin` has succeeded, because the server runs a pipelined statement even
    // when `begin` has failed.
    this.#needsBegin ||= !sql.startsWith('select ');
    if (this.#needsBegin && !this.#begun) await this.#beginning;
    const result = this.#client.query(sql, [...parameters]);
    // Noted in the order of the server's answers: callers of pipelined statements may learn of later ones first.
    result.catch((error) => {
      if (codeOf(error) !== aborted) this.#failure = error;
    });
    try {
      const [{ rows, rowCount }] = await Promise.all([result, this.#beginning]);
      return { rows, affected: rowCount ?? 0 };
    } catch (error) {
      throw codeOf(error) === aborted ? (this.#failure ?? error) : error;
    }
  }

  /** Commits, and releases the connection. */
  async commit(): Promise<void> {
    const command = await this.#end('commit');
    // PostgreSQL answers a commit with ROLLBACK when a statement of the transaction has failed.
    if (command === 'ROLLBACK') throw new Error('PostgreSQL rolled back a transaction that was to be committed.');
  }

  /**
   * Rolls back, and never throws: a transaction that cannot be rolled back has lost its connection, which ends it as
   * well.
   */
  async rollback(): Promise<void> {
    await this.#end('rollback').catch(() => undefined);
  }

  async #end(command: 'commit' | 'rollback'): Promise<string | undefined> {
    try {
      return this.#beginning && (await this.#client.query(command)).command;
    } finally {
      this.#client.release();
    }
  }
}
