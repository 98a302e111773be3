import type { Clock, Instant, TableDescription } from '@horarium/core';
import type { MikroORM } from '@mikro-orm/core';
import type { AbstractSqlConnection, SqlEntityManager } from '@mikro-orm/sql';
import Database from 'better-sqlite3';
import type { DatabaseConnection } from 'kysely';
import type { SqlResult, SqlTransaction } from '../../dialect.ts';
import { MikroOrmStore } from '../../mikro-orm-store.ts';
import { ApplicationConnection } from '../../orm/application-connection.ts';
import type { MigrationEntry } from '../../schema/schema.ts';
import { sqliteDialect } from './dialect.ts';
import { storeErrorOf } from './errors.ts';
import { PreparedStatements } from './prepared-statements.ts';
import { sqliteSchema } from './schema.ts';

interface ApplicationStoreOptions {
  readonly orm: MikroORM;
  readonly tables: readonly TableDescription[];
  readonly clock: Clock;
  readonly migrations: readonly MigrationEntry[];
}

/** Opens a store on the MikroORM of an application, whose SQLite file it shares. */
export function sqliteStoreOn({ orm, tables, clock, migrations }: ApplicationStoreOptions): MikroOrmStore {
  const em = orm.em as SqlEntityManager;
  const database = `${orm.config.get('dbName')}`;
  const connection = em.getConnection() as AbstractSqlConnection;
  const [first] = tables;
  const adopt = (adopted: DatabaseConnection) =>
    new ApplicationTransaction(adopted, preparedStatementsOf(connection), clock, `${first?.table}`);
  const translateError = (error: unknown) => storeErrorOf(error, database);
  return new MikroOrmStore({
    dialect: sqliteDialect,
    schema: sqliteSchema({ kysely: connection.getClient(), database, tables, clock, migrations, translateError }),
    tables,
    em,
    oneAtATime: true,
    adopt,
    translateError,
  });
}

const preparedStatements = new WeakMap<Database.Database, PreparedStatements>();

/** Returns the prepared statements of a connection; null where the application has given MikroORM a dialect of its own. */
async function preparedStatementsOf(connection: AbstractSqlConnection): Promise<PreparedStatements | null> {
  const handle = await connection.getNativeClient().catch(() => null);
  if (!(handle instanceof Database)) return null;
  const statements = preparedStatements.get(handle) ?? new PreparedStatements(handle);
  preparedStatements.set(handle, statements);
  return statements;
}

/**
 * A transaction of the application's MikroORM on SQLite. The driver of Kysely prepares a statement each time that it runs,
 * which takes several times as long as to run it, so that the statements of the store go to its handle directly.
 */
class ApplicationTransaction extends ApplicationConnection implements SqlTransaction {
  readonly #statements: Promise<PreparedStatements | null>;
  readonly #clock: Clock;
  readonly #table: string;

  /** @param table one of the store's tables, on which the write lock is taken. */
  constructor(
    connection: DatabaseConnection,
    statements: Promise<PreparedStatements | null>,
    clock: Clock,
    table: string,
  ) {
    super(connection);
    this.#statements = statements;
    this.#clock = clock;
    this.#table = table;
  }

  override async run(sql: string, parameters: readonly unknown[]): Promise<SqlResult> {
    const statements = await this.#statements;
    return statements ? statements.run(sql, parameters) : super.run(sql, parameters);
  }

  /**
   * Takes the write lock at once: the driver of MikroORM begins without it, and of two transactions that have both read
   * by the time they write one must fail.
   */
  async beforeWrite(): Promise<void> {
    await this.run(`delete from ${this.#table} where 0`, []);
  }

  async now(): Promise<Instant> {
    return this.#clock.now();
  }

  /** Always succeeds, because a transaction that writes locks the whole file. */
  async tryLock(): Promise<boolean> {
    return true;
  }
}
