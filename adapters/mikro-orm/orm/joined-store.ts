import type { Store, Tables, TransactionOptions } from '@horarium/core';
import { type Session, TransactionTables } from '@horarium/core/store';
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { DatabaseConnection } from 'kysely';
import type { SqlTransaction } from '../dialect.ts';
import { type ApplicationTransactions, connectionOf, type OrmTransaction } from './application-transactions.ts';

interface JoinedStoreOptions {
  readonly kind: string;
  readonly em: Pick<SqlEntityManager, 'getTransactionContext'>;
  readonly transactions: ApplicationTransactions;
  /** Views a connection of the application as a transaction of the store. */
  adopt(connection: DatabaseConnection): SqlTransaction;
  session(transaction: SqlTransaction): Session;
}

/**
 * A store inside the transaction of an application: what it writes is committed or rolled back with it. Each of its own
 * transactions is a savepoint, so that one that fails undoes itself alone, also where the application goes on. Nothing is
 * run again, because the application decides about its transaction; errors of the database reach it unchanged.
 */
export class JoinedStore implements Store {
  readonly kind: string;
  readonly #options: JoinedStoreOptions;
  #savepoints = 0;

  constructor(options: JoinedStoreOptions) {
    this.kind = options.kind;
    this.#options = options;
  }

  async transaction<T>(work: (tables: Tables) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    const transaction = this.#options.em.getTransactionContext<OrmTransaction>();
    if (!transaction)
      throw new Error(
        'The entity manager has no open transaction: call within(em) inside em.transactional(), with the em that it passes.',
      );
    return this.#options.transactions.run(transaction, () => this.#runIn(transaction, work, options));
  }

  /** Closes nothing: the connection is the application's. */
  async close(): Promise<void> {}

  async #runIn<T>(
    outer: OrmTransaction,
    work: (tables: Tables) => Promise<T>,
    options: TransactionOptions,
  ): Promise<T> {
    const { adopt, transactions, session } = this.#options;
    const connection = await connectionOf(outer);
    const own = adopt(connection);
    const whileOpen = <A extends readonly unknown[], R>(execute: (...values: A) => R) => {
      return (...values: A): R => {
        transactions.assertOpen(outer);
        return execute(...values);
      };
    };
    const transaction: SqlTransaction = {
      run: whileOpen((sql, parameters) => own.run(sql, parameters)),
      now: whileOpen(() => own.now()),
      tryLock: whileOpen((name) => own.tryLock(name)),
    };
    const savepoint = `horarium_${++this.#savepoints}`;
    if (!options.readOnly) await own.beforeWrite?.();
    await transaction.run(`savepoint ${savepoint}`, []);
    // Several statements may be needed to read, although the application's transaction is one snapshot or none.
    const tables = new TransactionTables(session(transaction), options);
    try {
      const result = await tables.run(work);
      await transaction.run(`release savepoint ${savepoint}`, []);
      transactions.afterCommit(connection, outer, () => tables.committed());
      return result;
    } catch (error) {
      await rollBack(transaction, savepoint);
      throw error;
    }
  }
}

/** Rolls back to a savepoint, and never throws: where that fails, the database has already ended the whole transaction. */
async function rollBack(transaction: SqlTransaction, savepoint: string): Promise<void> {
  try {
    await transaction.run(`rollback to savepoint ${savepoint}`, []);
    await transaction.run(`release savepoint ${savepoint}`, []);
  } catch {}
}
