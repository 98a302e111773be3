import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely';
import type { SqlResult, SqlTransaction } from '../dialect.ts';

/** A connection of a store, on which one transaction begins and ends. Statements outside of it run by themselves. */
export interface StoreConnection extends SqlTransaction {
  begin(): Promise<void>;
  commit(): Promise<void>;
  /** Never throws, because Kysely would not release the connection then. Does nothing once the transaction has ended. */
  rollback(): Promise<void>;
  release(): void;
}

/** Lets Kysely, and MikroORM by it, begin and end transactions on the connections of a store. */
export class StoreDriver implements Driver {
  readonly #connect: () => Promise<StoreConnection>;

  /** @param connect takes nothing that others wait for: Kysely never releases a connection whose begin has failed. */
  constructor(connect: () => Promise<StoreConnection>) {
    this.#connect = connect;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return new DriverConnection(await this.#connect());
  }

  beginTransaction(connection: DatabaseConnection): Promise<void> {
    return storeConnectionOf(connection).begin();
  }

  commitTransaction(connection: DatabaseConnection): Promise<void> {
    return storeConnectionOf(connection).commit();
  }

  rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    return storeConnectionOf(connection).rollback();
  }

  async savepoint(connection: DatabaseConnection, name: string): Promise<void> {
    await storeConnectionOf(connection).run(`savepoint "${name}"`, []);
  }

  async rollbackToSavepoint(connection: DatabaseConnection, name: string): Promise<void> {
    await storeConnectionOf(connection).run(`rollback to savepoint "${name}"`, []);
  }

  async releaseSavepoint(connection: DatabaseConnection, name: string): Promise<void> {
    await storeConnectionOf(connection).run(`release savepoint "${name}"`, []);
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    storeConnectionOf(connection).release();
  }

  /** Closes nothing: the store does, because what only reads does not pass here. */
  async destroy(): Promise<void> {}
}

/** A connection as Kysely sees it. */
class DriverConnection implements DatabaseConnection {
  readonly connection: StoreConnection;

  constructor(connection: StoreConnection) {
    this.connection = connection;
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const { rows, affected }: SqlResult = await this.connection.run(sql, parameters);
    return { rows: rows as R[], numAffectedRows: BigInt(affected) };
  }

  // biome-ignore lint/correctness/useYield: a generator that only throws.
  async *streamQuery(): AsyncGenerator<never> {
    throw new Error('The store does not stream rows.');
  }
}

/** Returns the store's own connection: Kysely hands back those that its driver made. */
export function storeConnectionOf(connection: DatabaseConnection): StoreConnection {
  return (connection as DriverConnection).connection;
}
