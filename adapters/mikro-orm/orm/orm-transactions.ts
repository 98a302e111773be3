import type { TransactionOptions } from '@horarium/core';
import type { AbstractSqlConnection } from '@mikro-orm/sql';
import type { DatabaseConnection } from 'kysely';
import type { SqlTransaction, Transactions } from '../dialect.ts';

/** Views a connection on which MikroORM has begun a transaction as a transaction of the store. */
export type Adopt = (connection: DatabaseConnection) => SqlTransaction;

type BeginOptions = NonNullable<Parameters<AbstractSqlConnection['transactional']>[1]>;

interface OrmTransactionsOptions {
  readonly connection: AbstractSqlConnection;
  readonly adopt: Adopt;
  readonly oneAtATime: boolean;
  /**
   * Runs what only reads on the database directly: that changes nothing which MikroORM could take part in, and its
   * bookkeeping costs more than reading a row. Without it MikroORM begins such transactions too.
   */
  readonly reads?: Transactions;
  /** The options with which MikroORM begins a transaction that only reads. @default those of any other */
  readonly reading?: BeginOptions;
}

/** Begins and ends transactions by MikroORM. */
export class OrmTransactions implements Transactions {
  readonly oneAtATime: boolean;
  readonly #options: OrmTransactionsOptions;

  constructor(options: OrmTransactionsOptions) {
    this.oneAtATime = options.oneAtATime;
    this.#options = options;
  }

  run<T>(options: TransactionOptions, work: (transaction: SqlTransaction) => Promise<T>): Promise<T> {
    const { connection, adopt, reads, reading = {} } = this.#options;
    const { readOnly = false } = options;
    if (readOnly && reads) return reads.run(options, work);
    return connection.transactional(
      (transaction) =>
        transaction.getExecutor().provideConnection(async (adopted) => {
          const adoptedTransaction = adopt(adopted);
          if (!readOnly) await adoptedTransaction.beforeWrite?.();
          return work(adoptedTransaction);
        }),
      readOnly ? reading : {},
    );
  }
}
