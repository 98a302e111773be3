import type { Instant, TransactionOptions } from '@horarium/core';
import type pg from 'pg';
import type { SqlResult, SqlTransaction, Transactions } from '../../dialect.ts';

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
    // Repeatable read gives readers one snapshot, as in the stores that run one transaction at a time; a single
    // statement has one by itself.
    const begin = readOnly ? 'start transaction isolation level repeatable read read only' : 'begin';
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

  /**
   * Names the snapshot of the transaction, and so all that it sees. The start of the server is part of the name,
   * because a restored backup may repeat the numbers of transactions.
   */
  async state(): Promise<string> {
    const sql = `select pg_postmaster_start_time()::text || pg_current_snapshot()::text as "state", ${clock}`;
    const [row] = (await this.run(sql, [])).rows;
    this.#time ??= timeOf(row);
    return row?.['state'] as string;
  }

  async now(): Promise<Instant> {
    this.#time ??= timeOf((await this.run(`select ${clock}`, [])).rows[0]);
    return this.#time;
  }

  async tryLock(name: string): Promise<boolean> {
    const sql = 'select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as "got"';
    return (await this.run(sql, [`horarium:${name}`])).rows[0]?.['got'] === true;
  }
}

// A number, because drivers return times in different forms.
const clock = 'extract(epoch from clock_timestamp()) * 1000 as "now"';

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
    const [{ rows, rowCount }] = await Promise.all([this.#client.query(sql, [...parameters]), this.#beginning]);
    return { rows, affected: rowCount ?? 0 };
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
