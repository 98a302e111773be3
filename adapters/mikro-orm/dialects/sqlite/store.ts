import { type Clock, DatabaseBusy, HorariumError, type TableDescription } from '@horarium/core';
import { sqliteMigrations } from '../../migrations/sqlite/index.ts';
import { MikroOrmStore } from '../../mikro-orm-store.ts';
import { OrmTransactions } from '../../orm/orm-transactions.ts';
import { type MigrationEntry, Schema } from '../../schema/schema.ts';
import { isBusy, SqliteConnection } from './connection.ts';
import { sqliteDialect } from './dialect.ts';
import { sqliteOrm, sqliteSchemaOrm } from './orm.ts';
import { SqliteTransactions } from './transactions.ts';

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
export async function openSqliteStore(options: SqliteStoreOptions): Promise<MikroOrmStore> {
  const { file, tables, clock, synchronous = 'full', busyTimeout = 10_000, migrations = sqliteMigrations } = options;
  const translateError = (error: unknown) => storeErrorOf(error, file);
  let connection: SqliteConnection;
  try {
    connection = await SqliteConnection.open({ file, synchronous, busyTimeout, clock });
  } catch (error) {
    throw translateError(error);
  }
  const transactions = new SqliteTransactions(connection, clock);
  const orm = sqliteOrm({ dialect: sqliteDialect, transactions, database: file });
  const ormConnection = orm.em.getConnection();
  const kysely = ormConnection.getClient();
  const schema = new Schema({
    orm: () => sqliteSchemaOrm({ kysely, database: file, tables, migrations }),
    kysely,
    translateError,
    known: migrations.map(({ name }) => name),
    createTable:
      'create table if not exists "horarium_migrations" ("id" integer not null primary key autoincrement, "name" text null, "executed_at" datetime null default current_timestamp)',
    isMissing: (error) => /no such (table|column)/.test(String(error)),
    migrating: async (work) => {
      // Foreign keys are not enforced meanwhile, because SQLite changes a table by rebuilding it, which must not count
      // as deleting rows that others refer to.
      connection.enforceForeignKeys(false);
      try {
        await work();
      } finally {
        connection.enforceForeignKeys(true);
      }
    },
  });
  return new MikroOrmStore({
    dialect: sqliteDialect,
    schema,
    tables,
    translateError,
    transactions: new OrmTransactions(ormConnection, transactions),
    close: async () => {
      await orm.close();
      connection.close();
    },
  });
}

const messages: readonly (readonly [RegExp, string])[] = [
  [/^SQLITE_FULL/, 'there is no space left on the disk'],
  [/^SQLITE_(READONLY|PERM|AUTH)/, 'it may not be written'],
  [/^SQLITE_CANTOPEN|^ENOTDIR|^ENOENT|^EISDIR|^EEXIST/, 'it cannot be opened'],
  [/^EACCES|^EPERM|^EROFS/, 'it may not be opened'],
  [/^SQLITE_(NOTADB|CORRUPT)/, 'it is not a SQLite database, or it is damaged'],
  [/^SQLITE_IOERR/, 'reading or writing it failed'],
];

/** Translates an error of the driver into what the store throws; DatabaseBusy when the transaction is to be run again. */
function storeErrorOf(error: unknown, file: string): unknown {
  if (isBusy(error)) return new DatabaseBusy();
  const { code } = error as { code?: unknown };
  const knownMessage = typeof code === 'string' ? messages.find(([pattern]) => pattern.test(code)) : undefined;
  return knownMessage
    ? new HorariumError('unavailable', `The SQLite file ${file} cannot be used: ${knownMessage[1]}.`)
    : error;
}
