import { AsyncLocalStorage } from 'node:async_hooks';
import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Hints, Instant, Store, TableDescription, Tables, TransactionOptions } from '@horarium/core';
import { bound, foreignKeys, retryTransaction, type Session, TransactionTables } from '@horarium/core/store';
import { TransactionContext } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { DummyDriver, Kysely } from 'kysely';
import type { Dialect, SqlContext, SqlTransaction, Transactions } from './dialect.ts';
import { CommitCallbacks } from './orm/commit-callbacks.ts';
import { JoinedStore } from './orm/joined-store.ts';
import { OpenTransactions } from './orm/open-transactions.ts';
import type { Adopt } from './orm/orm-transactions.ts';
import type { Schema } from './schema/schema.ts';
import { SqlTable } from './statements/sql-table.ts';
import { StatementCache } from './statements/statement.ts';

interface StoreParts {
  readonly dialect: Dialect;
  readonly schema: Schema;
  readonly tables: readonly TableDescription[];
  readonly transactions: Transactions;
  /** Lets the store take part in transactions that others begin by MikroORM. */
  readonly orm: { readonly em: SqlEntityManager; readonly adopt: Adopt };
  /** Translates the error that ended a transaction; returns DatabaseBusy when the transaction is to be run again. */
  translateError(error: unknown): unknown;
  /** The same store on connections of its own, which is closed with it. */
  readonly background?: MikroOrmStore;
  /** Hints between the processes that share the database, where it has a way for them. */
  readonly hints?: Hints;
  close(): Promise<void>;
}

/** Exponential backoff with full jitter, so that transactions that conflicted do not conflict again. */
function backoff(attempt: number): Promise<void> {
  return pause(randomInt(1, Math.min(500, 8 * 2 ** attempt)));
}

/** A store in a SQL database. */
export class MikroOrmStore implements Store, AsyncDisposable {
  readonly kind: string;
  /** Tells whether the tables are up to date, and migrates them. */
  readonly schema: Schema;
  readonly background?: MikroOrmStore;
  readonly hints?: Hints;
  readonly #parts: StoreParts;
  readonly #commitCallbacks = new CommitCallbacks();
  readonly #open = new OpenTransactions();
  readonly #context: SqlContext;
  readonly #tables: ReadonlySet<string>;
  /** The transaction that the running code belongs to; used to detect nesting, and for nothing else. */
  readonly #current = new AsyncLocalStorage<TransactionTables>();

  constructor(parts: StoreParts) {
    this.kind = parts.dialect.kind;
    this.schema = parts.schema;
    if (parts.background) this.background = parts.background;
    if (parts.hints) this.hints = parts.hints;
    this.#parts = parts;
    const { dialect } = parts;
    const statements = new StatementCache(new Kysely({ dialect: dialect.createKyselyDialect(new DummyDriver()) }));
    const writes = dialect.createBulkWrites(statements);
    this.#context = { dialect, statements, writes, foreignKeys: foreignKeys(parts.tables) };
    this.#subscribeTo(parts.orm.em);
    this.#tables = new Set(parts.tables.map(({ table }) => table));
  }

  async transaction<T>(work: (tables: Tables) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    const { transactions } = this.#parts;
    const oneAtATime = transactions.oneAtATime;
    if (oneAtATime && this.#current.getStore()?.ended === false)
      throw new Error('A transaction inside a transaction would wait for itself for ever.');
    if (oneAtATime && TransactionContext.getEntityManager(this.#parts.orm.em.name)?.isInTransaction())
      throw new Error(
        'The application has a transaction open, which this one would wait for for ever: use core.with(store.within(em)) inside it.',
      );
    const begin = bound(work);
    return retryTransaction(async () => {
      let tables: TransactionTables | undefined;
      try {
        const result = await transactions.run(options, (transaction) => {
          const transactionTables = new TransactionTables(
            new SqlSession(this.#context, this.#tables, transaction, oneAtATime),
            options,
          );
          tables = transactionTables;
          return oneAtATime
            ? this.#current.run(transactionTables, () => transactionTables.run(begin))
            : transactionTables.run(begin);
        });
        tables?.committed();
        return result;
      } catch (error) {
        // The first failed statement decides, even when the work has wrapped its error in another one.
        const cause = tables?.failure ? tables.failure.error : error;
        const translated = this.#parts.translateError(cause);
        throw translated === cause ? error : translated;
      }
    }, backoff);
  }

  /**
   * Returns a store whose transactions are savepoints inside the open transaction of an entity manager: what they write is
   * committed and rolled back with it. Give it to `core.with`.
   * @param em that of the MikroORM of this store, as `em.transactional` passes it.
   * @throws Error with its first transaction, when the entity manager has none.
   */
  within(em: SqlEntityManager): Store {
    const { adopt } = this.#parts.orm;
    // A fork that is older than the store may have an event manager of its own.
    this.#subscribeTo(em);
    const { oneAtATime } = this.#parts.transactions;
    const session = (transaction: SqlTransaction) =>
      new SqlSession(this.#context, this.#tables, transaction, oneAtATime);
    const [callbacks, open] = [this.#commitCallbacks, this.#open];
    return new JoinedStore({ kind: this.kind, em, adopt, callbacks, open, session });
  }

  async close(): Promise<void> {
    await this.background?.close();
    await this.#parts.close();
  }

  /** Closes the store: `await using store = await openStore({ url })`, before the core, which is then stopped first. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Listens to the transactions of an entity manager, and of those that MikroORM forks from it. */
  #subscribeTo(em: SqlEntityManager): void {
    for (const subscriber of [this.#open, this.#commitCallbacks]) {
      em.getEventManager().registerSubscriber(subscriber);
      // Forks with an event manager of their own (`freshEventManager`) have the subscribers of the configuration.
      em.config.set('subscribers', new Set(em.config.get('subscribers')).add(subscriber));
    }
  }
}

/** The operations of one open transaction. */
class SqlSession implements Session {
  readonly serial: boolean;
  readonly #context: SqlContext;
  readonly #tables: ReadonlySet<string>;
  readonly #transaction: SqlTransaction;

  constructor(context: SqlContext, tables: ReadonlySet<string>, transaction: SqlTransaction, serial: boolean) {
    this.#context = context;
    this.#tables = tables;
    this.#transaction = transaction;
    this.serial = serial;
  }

  now(): Promise<Instant> {
    return this.#transaction.now();
  }

  tryLock(name: string): Promise<boolean> {
    return this.#transaction.tryLock(name);
  }

  table(description: TableDescription): SqlTable {
    if (!this.#tables.has(description.table)) throw new Error(`This store has no table ${description.table}.`);
    return new SqlTable(this.#context, this.#transaction, description);
  }
}
