import type { Clock, TableDescription } from '@horarium/core';
import { openOrm } from '../../orm/open-orm.ts';
import { StoreDriver, storeConnectionOf } from '../../orm/store-driver.ts';
import type { MigrationEntry } from '../../schema/schema.ts';
import { SqlStore } from '../../sql-store.ts';
import { SqliteConnection } from './connection.ts';
import { sqliteDialect } from './dialect.ts';
import { storeErrorOf } from './errors.ts';
import { sqliteMigrations } from './migrations/index.ts';
import { sqliteSchema } from './schema.ts';
import { SharedReads } from './shared-reads.ts';
import { writerFactory } from './writers.ts';

interface SqliteStoreOptions {
  /** The path of the file, or `:memory:`. */
  readonly file: string;
  readonly tables: readonly TableDescription[];
  readonly clock: Clock;
  /** With `full` every commit survives a power cut; `normal` is faster and may lose the last commits. @default 'full' */
  readonly synchronous?: 'full' | 'normal';
  /** The time that a transaction waits while another process locks the file, in milliseconds. @default 10000 */
  readonly busyTimeout?: number;
  /** Replaces the migrations that ship with the package, in tests of migrating. */
  readonly migrations?: readonly MigrationEntry[];
}

/**
 * Opens a store in one SQLite file, in WAL mode. Its transactions run one after another, those of a second process
 * on the same file included.
 * @throws HorariumError `unavailable` when the file cannot be opened.
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<SqlStore> {
  const { file, tables, clock, synchronous = 'full', busyTimeout = 10_000, migrations = sqliteMigrations } = options;
  const translateError = (error: unknown) => storeErrorOf(error, file);
  let connection: SqliteConnection;
  try {
    connection = await SqliteConnection.open({ file, synchronous, busyTimeout, clock });
  } catch (error) {
    throw translateError(error);
  }
  const newWriter = writerFactory(connection, clock);
  const reads = new SharedReads(connection);
  const driver = new StoreDriver(async () => newWriter());
  const orm = openOrm({ dialect: sqliteDialect, driver, database: file });
  const ormConnection = orm.em.getConnection();
  const kysely = ormConnection.getClient();
  return new SqlStore({
    dialect: sqliteDialect,
    schema: sqliteSchema({ kysely, database: file, tables, clock, migrations, translateError }),
    tables,
    connection: ormConnection,
    oneAtATime: true,
    adopt: storeConnectionOf,
    read: (work) => reads.run(work),
    translateError,
    checkpoint: () => connection.checkpoint(),
    releaseSpace: () => connection.releaseSpace(),
    close: async () => {
      await orm.close();
      await connection.close();
    },
  });
}
