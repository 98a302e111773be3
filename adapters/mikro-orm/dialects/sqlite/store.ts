import { type Clock, HorariumError, type TableDescription } from '@horarium/core';
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
  /** `full` (the default): what was committed survives a power cut; `normal` is faster and may lose the last moments. */
  readonly synchronous?: 'full' | 'normal';
  /** How long to wait while another process holds the file, in milliseconds; 10,000 when left out. */
  readonly patience?: number;
  /** Others than the program's own. */
  readonly migrations?: readonly MigrationEntry[];
}

/**
 * Opens a store in one SQLite file, in WAL mode. Its transactions run one after another, those of a second process
 * on the same file included.
 * @throws HorariumError `unavailable` when the file cannot be opened.
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<SqlStore> {
  const { file, tables, clock, synchronous = 'full', patience = 10_000, migrations = sqliteMigrations } = options;
  const judgeAttempt = (error: unknown) => taskOutcome(error, file);
  let connection: SqliteConnection;
  try {
    connection = await SqliteConnection.open({ file, synchronous, patience });
  } catch (error) {
    throw judgeAttempt(error);
  }
  const kysely = new Kysely<unknown>({ dialect: new ImmediateDialect(connection) });
  const schema = new Schema({
    orm: async () => (await import('./orm.ts')).sqliteOrm({ kysely, database: file, tables, migrations }),
    kysely,
    judgeAttempt,
    known: migrations.map(({ name }) => name),
    createTable:
      'create table if not exists "mikro_orm_migrations" ("id" integer not null primary key autoincrement, "name" text null, "executed_at" datetime null default current_timestamp)',
    isMissingTable: (error) => /no such table/.test(String(error)),
    hooks: async (work) => {
      // Tables are changed by being rebuilt, which must not look like deleting what others refer to.
      connection.checkReferences(false);
      try {
        await work();
      } finally {
        connection.checkReferences(true);
      }
    },
  });
  const dialect = new SqliteDialect(() => clock.now());
  return new SqlStore({
    dialect,
    schema,
    tables,
    judgeAttempt,
    transactions: new SqliteTransactions(connection, clock),
    close: async () => {
      // It knows of the file only once a migration was looked for.
      await kysely.destroy();
      connection.close();
    },
  });
}

const words: readonly (readonly [RegExp, string])[] = [
  [/^SQLITE_FULL/, 'there is no space left on the disk'],
  [/^SQLITE_(READONLY|PERM|AUTH)/, 'it may not be written'],
  [/^SQLITE_CANTOPEN|^ENOTDIR|^ENOENT|^EISDIR|^EEXIST/, 'it cannot be opened'],
  [/^EACCES|^EPERM|^EROFS/, 'it may not be opened'],
  [/^SQLITE_(NOTADB|CORRUPT)/, 'it is no SQLite database, or a damaged one'],
  [/^SQLITE_IOERR/, 'reading or writing it failed'],
];

function taskOutcome(error: unknown, file: string): unknown {
  if (isBusy(error)) return 'again';
  const { code } = error as { code?: unknown };
  const found = typeof code === 'string' ? words.find(([pattern]) => pattern.test(code)) : undefined;
  return found ? new HorariumError('unavailable', `The SQLite file ${file} cannot be used: ${found[1]}.`) : error;
}
