import { AsyncLocalStorage } from 'node:async_hooks';
import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Hints, Store, TableDescription, Tables, TransactionOptions } from '@horarium/core';
import { bound, foreignKeys, retryTransaction, type Session, TransactionTables } from '@horarium/core/store';
import type { AbstractSqlConnection } from '@mikro-orm/sql';
import { type DatabaseConnection, DummyDriver, Kysely } from 'kysely';
import type { Dialect, SqlContext, SqlTransaction } from './dialect.ts';
import type { Schema } from './schema/schema.ts';
import { SqlTable } from './statements/sql-table.ts';
import { SqlTableCopy } from './statements/sql-table-copy.ts';
import { StatementCache } from './statements/statement.ts';

/** Runs work in a transaction: commits when it resolves, rolls back when it rejects. */
type Run = <T>(work: (transaction: SqlTransaction) => Promise<T>, options: TransactionOptions) => Promise<T>;

export interface SqlStoreParts {
  readonly dialect: Dialect;
  readonly schema: Schema;
  readonly tables: readonly TableDescription[];
  /** MikroORM's connection, which begins and ends transactions. */
  readonly connection: AbstractSqlConnection;
  /** Whether a transaction that is begun inside another one would wait for itself for ever. */
  readonly oneAtATime: boolean;
  /** Views a connection on which MikroORM has begun a transaction as a transaction of the store. */
  adopt(connection: DatabaseConnection): SqlTransaction;
  /** Runs a transaction that only reads. @default MikroORM runs it, and its bookkeeping takes longer than reading a row */
  readonly read?: Run;
  /** Translates the error that ended a transaction; returns DatabaseBusy if the transaction must run again. */
  translateError(error: unknown): unknown;
  /** The same database on other connections, for work in the background. It is closed with this store. */
  readonly background?: SqlStore;
  /** Hints between the processes that share the database, where it has a way for them. */
  readonly hints?: Hints;
  /** As `Store.checkpoint`, where the database does not do so by itself. */
  checkpoint?(): Promise<void>;
  /** As `Store.releaseSpace`, where the database does not do so by itself. */
  releaseSpace?(): Promise<boolean>;
  close(): Promise<void>;
}

/** Exponential backoff with full jitter, so that transactions that conflicted do not conflict again. */
function backoff(attempt: number): Promise<void> {
  return pause(randomInt(1, Math.min(500, 8 * 2 ** attempt)));
}

/** A store in a SQL database. */
export class SqlStore implements Store, AsyncDisposable {
  readonly kind: string;
  /** Tells whether the tables are up to date, and migrates them. */
  readonly schema: Schema;
  readonly background?: SqlStore;
  readonly hints?: Hints;
  readonly #parts: SqlStoreParts;
  readonly #read: Run;
  readonly #context: SqlContext;
  readonly #tables: ReadonlySet<string>;
  /** The transaction that the running code belongs to; used to detect nesting, and for nothing else. */
  readonly #current = new AsyncLocalStorage<TransactionTables>();

  constructor(parts: SqlStoreParts) {
    this.kind = parts.dialect.kind;
    this.schema = parts.schema;
    if (parts.background) this.background = parts.background;
    if (parts.hints) this.hints = parts.hints;
    this.#parts = parts;
    this.#read = parts.read ?? this.#transact;
    const { dialect } = parts;
    const statements = new StatementCache(new Kysely({ dialect: dialect.createKyselyDialect(new DummyDriver()) }));
    const writes = dialect.createBulkWrites(statements);
    this.#context = { dialect, statements, writes, foreignKeys: foreignKeys(parts.tables) };
    this.#tables = new Set(parts.tables.map(({ table }) => table));
  }

  async transaction<T>(work: (tables: Tables) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    const { oneAtATime, translateError } = this.#parts;
    if (oneAtATime && this.#current.getStore()?.ended === false)
      throw new Error('A transaction inside a transaction would wait for itself for ever.');
    const begin = bound(work);
    const run = options.readOnly ? this.#read : this.#transact;
    return retryTransaction(async () => {
      let tables: TransactionTables | undefined;
      try {
        const result = await run(async (transaction) => {
          const own = new TransactionTables(this.session(transaction), options);
          tables = own;
          if (!oneAtATime) return own.run(begin);
          const done = await this.#current.run(own, () => own.run(begin));
          // Others that write wait for their turn, and may share the commit.
          own.visible();
          return done;
        }, options);
        tables?.committed();
        return result;
      } catch (error) {
        // The first failed statement decides, even when the work has wrapped its error in another one.
        const cause = tables?.failure ? tables.failure.error : error;
        const translated = translateError(cause);
        throw translated === cause ? error : translated;
      }
    }, backoff);
  }

  async checkpoint(): Promise<void> {
    await this.#parts.checkpoint?.();
  }

  async releaseSpace(): Promise<boolean> {
    return (await this.#parts.releaseSpace?.()) ?? false;
  }

  async close(): Promise<void> {
    await this.background?.close();
    await this.#parts.close();
  }

  /** Closes the store: `await using store = await openStore({ url })`, before the core, which is then stopped first. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** The operations of one open transaction. */
  protected session(transaction: SqlTransaction): Session {
    const check = ({ table }: TableDescription) => {
      if (!this.#tables.has(table)) throw new Error(`This store has no table ${table}.`);
    };
    return {
      serial: this.#parts.oneAtATime,
      now: () => transaction.now(),
      tryLock: (name) => transaction.tryLock(name),
      ...(transaction.settings && {
        settings: async (names) => (transaction as Required<SqlTransaction>).settings(names),
      }),
      table: (description) => {
        check(description);
        return new SqlTable(this.#context, transaction, description);
      },
      copyOf: (description) => {
        check(description);
        return new SqlTableCopy(this.#context, transaction, description);
      },
    };
  }

  /** Has MikroORM begin and end a transaction. */
  readonly #transact: Run = (work, { readOnly = false, durable = true }) => {
    const { connection, adopt, dialect } = this.#parts;
    return connection.transactional(
      (transaction) =>
        transaction.getExecutor().provideConnection(async (adopted) => {
          const own = adopt(adopted);
          if (!readOnly) await own.beforeWrite?.();
          if (!durable) own.commitAsynchronously?.();
          return work(own);
        }),
      readOnly ? dialect.reading : {},
    );
  };
}
