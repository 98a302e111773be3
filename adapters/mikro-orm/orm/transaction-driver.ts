import type { Instant } from '@horarium/core';
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult, TransactionSettings } from 'kysely';
import type { SqlResult, SqlTransaction, Transactions } from '../dialect.ts';

/**
 * Lets Kysely, and MikroORM with it, take part in the transactions of a database: each of its transactions is one of
 * theirs, so that it shares their turns, group commits and round trips. A connection takes nothing until a transaction
 * begins, because Kysely never releases one whose begin has failed.
 */
export class TransactionDriver implements Driver {
  readonly #transactions: Transactions;

  constructor(transactions: Transactions) {
    this.#transactions = transactions;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DriverConnection> {
    return new DriverConnection(this.#transactions);
  }

  async beginTransaction(connection: DatabaseConnection, { accessMode }: TransactionSettings): Promise<void> {
    await connectionOf(connection).begin(accessMode === 'read only');
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connectionOf(connection).end('commit');
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await connectionOf(connection).end('rollback');
  }

  async savepoint(connection: DatabaseConnection, name: string): Promise<void> {
    await connectionOf(connection).run(`savepoint ${quoted(name)}`, []);
  }

  async rollbackToSavepoint(connection: DatabaseConnection, name: string): Promise<void> {
    await connectionOf(connection).run(`rollback to savepoint ${quoted(name)}`, []);
  }

  async releaseSavepoint(connection: DatabaseConnection, name: string): Promise<void> {
    await connectionOf(connection).run(`release savepoint ${quoted(name)}`, []);
  }

  async releaseConnection(): Promise<void> {}

  /** Closes nothing, because the store owns what its transactions run on. */
  async destroy(): Promise<void> {}
}

/** A connection as Kysely sees it: it has a transaction of the database between begin and commit or rollback. */
class DriverConnection implements DatabaseConnection, SqlTransaction {
  readonly #transactions: Transactions;
  #open: OpenTransaction | null = null;

  constructor(transactions: Transactions) {
    this.#transactions = transactions;
  }

  async begin(readOnly: boolean): Promise<void> {
    const begun = Promise.withResolvers<SqlTransaction>();
    const ending = Promise.withResolvers<void>();
    const done = this.#transactions.run({ readOnly }, (transaction) => {
      begun.resolve(transaction);
      return ending.promise;
    });
    done.catch(begun.reject);
    this.#open = { transaction: await begun.promise, ending, done, failure: undefined };
  }

  async end(command: 'commit' | 'rollback'): Promise<void> {
    const open = this.#opened();
    this.#open = null;
    if (command === 'commit') {
      open.ending.resolve();
      return open.done;
    }
    // Others that share the commit fail with the error that has ended the transaction, where one has.
    open.ending.reject(open.failure ?? new Error('The transaction was rolled back.'));
    await open.done.catch(() => undefined);
  }

  async run(sql: string, parameters: readonly unknown[]): Promise<SqlResult> {
    const open = this.#open;
    if (!open) return this.#runAlone(sql, parameters);
    try {
      return await open.transaction.run(sql, parameters);
    } catch (error) {
      open.failure ??= error;
      throw error;
    }
  }

  now(): Promise<Instant> {
    return this.#opened().transaction.now();
  }

  tryLock(name: string): Promise<boolean> {
    return this.#opened().transaction.tryLock(name);
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const { rows, affected } = await this.run(sql, parameters);
    return { rows: rows as R[], numAffectedRows: BigInt(affected) };
  }

  // biome-ignore lint/correctness/useYield: a generator that only throws.
  async *streamQuery(): AsyncGenerator<never> {
    throw new Error('The store does not stream rows.');
  }

  /** Runs a statement for which nobody has begun a transaction, such as those that read the schema, in one of its own. */
  #runAlone(sql: string, parameters: readonly unknown[]): Promise<SqlResult> {
    const readOnly = /^\s*(select|pragma)\b/i.test(sql);
    return this.#transactions.run({ readOnly }, async (transaction) => transaction.run(sql, parameters));
  }

  #opened(): OpenTransaction {
    if (!this.#open) throw new Error('The connection has no open transaction.');
    return this.#open;
  }
}

interface OpenTransaction {
  readonly transaction: SqlTransaction;
  readonly ending: PromiseWithResolvers<void>;
  readonly done: Promise<void>;
  /** The error of the first statement that failed. */
  failure: unknown;
}

/** Views a connection of this driver as a transaction of the store. */
export function adoptDriverConnection(connection: DatabaseConnection): SqlTransaction {
  return connectionOf(connection);
}

/** Kysely hands back the connections that its driver made. */
function connectionOf(connection: DatabaseConnection): DriverConnection {
  if (connection instanceof DriverConnection) return connection;
  throw new Error('The connection is not one of this driver.');
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
