import type { TransactionOptions } from '@horarium/core';
import type { AbstractSqlConnection } from '@mikro-orm/sqlite';
import type { SqlTransaction, Transactions } from '../dialect.ts';
import { DriverConnection } from './driver.ts';

/**
 * Begins and ends transactions by MikroORM. Those that only read go to the database directly, because they change nothing
 * that MikroORM could take part in, and its bookkeeping would cost more than reading a row.
 */
export class OrmTransactions implements Transactions {
  readonly oneAtATime: boolean;
  readonly #connection: AbstractSqlConnection;
  readonly #reads: Transactions;

  constructor(connection: AbstractSqlConnection, reads: Transactions) {
    this.oneAtATime = reads.oneAtATime;
    this.#connection = connection;
    this.#reads = reads;
  }

  run<T>(options: TransactionOptions, work: (transaction: SqlTransaction) => Promise<T>): Promise<T> {
    if (options.readOnly) return this.#reads.run(options, work);
    return this.#connection.transactional((transaction) =>
      transaction.getExecutor().provideConnection((connection) => {
        if (connection instanceof DriverConnection) return work(connection);
        throw new Error('MikroORM does not run on the driver of the store.');
      }),
    );
  }
}
