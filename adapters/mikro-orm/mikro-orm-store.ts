import type { Store, Tables, TransactionOptions } from '@horarium/core';
import { TransactionContext } from '@mikro-orm/core';
import type { AbstractSqlConnection, SqlEntityManager } from '@mikro-orm/sql';
import { ApplicationTransactions } from './orm/application-transactions.ts';
import { JoinedStore } from './orm/joined-store.ts';
import { SqlStore, type SqlStoreParts } from './sql-store.ts';

interface MikroOrmStoreParts extends Omit<SqlStoreParts, 'connection' | 'read' | 'close'> {
  /** The MikroORM of the application. */
  readonly em: SqlEntityManager;
}

/** A store in the database of an application's own MikroORM. */
export class MikroOrmStore extends SqlStore {
  readonly #parts: MikroOrmStoreParts;
  readonly #transactions = new ApplicationTransactions();

  constructor(parts: MikroOrmStoreParts) {
    const connection = parts.em.getConnection() as AbstractSqlConnection;
    // It closes nothing: the connection is the application's.
    super({ ...parts, connection, close: async () => undefined });
    this.#parts = parts;
    this.#transactions.listenTo(parts.em);
  }

  override async transaction<T>(work: (tables: Tables) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    const { em, oneAtATime } = this.#parts;
    if (oneAtATime && TransactionContext.getEntityManager(em.name)?.isInTransaction())
      throw new Error(
        'The application has a transaction open, which this one would wait for for ever: use core.with(store.within(em)) inside it.',
      );
    return super.transaction(work, options);
  }

  /**
   * Returns a store whose transactions are savepoints inside the open transaction of an entity manager: what they write is
   * committed and rolled back with it. Give it to `core.with`.
   * @param em that of the MikroORM of this store, as `em.transactional` passes it.
   * @throws Error with its first transaction, when the entity manager has none.
   */
  within(em: SqlEntityManager): Store {
    // A fork that is older than the store may have an event manager of its own.
    this.#transactions.listenTo(em);
    return new JoinedStore({
      kind: this.kind,
      em,
      transactions: this.#transactions,
      adopt: this.#parts.adopt,
      session: (transaction) => this.session(transaction),
    });
  }
}
