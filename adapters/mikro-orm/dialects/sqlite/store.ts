import { type Clock, DatabaseBusy, HorariumError, type TableDescription } from '@horarium/core';
import { Kysely } from 'kysely';
import { sqliteMigrations } from '../../migrations/sqlite/index.ts';
import { type MigrationEntry, Schema } from '../../schema.ts';
import { SqlStore } from '../../sql-store.ts';
import { ImmediateDialect, isBusy, SqliteConnection } from './connection.ts';
import { SqliteDialect } from './dialect.ts';
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
export async function openSqliteStore(options: SqliteStoreOptions): Promise<SqlStore> {
  const { file, tables, clock, synchronous = 'full', busyTimeout = 10_000, migrations = sqliteMigrations } = options;
  const translateError = (error: unknown) => storeErrorOf(error, file);
  let connection: SqliteConnection;
  try {
    connection = await SqliteConnection.open({ file, synchronous, busyTimeout });
  } catch (error) {
    throw translateError(error);
  }
  const kysely = new Kysely<unknown>({ dialect: new ImmediateDialect(connection) });
  const schema = new Schema({
    orm: async () => (await import('./orm.ts')).sqliteOrm({ kysely, database: file, tables, migrations }),
    kysely,
    translateError,
    known: migrations.map(({ name }) => name),
    createTable:
      'create table if not exists "mikro_orm_migrations" ("id" integer not null primary key autoincrement, "name" text null, "executed_at" datetime null default current_timestamp)',
    isMissingTable: (error) => /no such table/.test(String(error)),
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
  const dialect = new SqliteDialect(() => clock.now());
  return new SqlStore({
    dialect,
    schema,
    tables,
    translateError,
    transactions: new SqliteTransactions(connection, clock),
    close: async () => {
      // The connection is closed apart from Kysely, which opens its driver only when it looks up a migration.
      await kysely.destroy();
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
