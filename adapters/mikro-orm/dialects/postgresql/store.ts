import { DatabaseBusy, HorariumError, type TableDescription } from '@horarium/core';
import { postgresMigrations } from '../../migrations/postgresql/index.ts';
import { MikroOrmStore } from '../../mikro-orm-store.ts';
import { OrmTransactions } from '../../orm/orm-transactions.ts';
import { type MigrationEntry, Schema } from '../../schema/schema.ts';
import { openPool } from './connection.ts';
import { postgresDialect } from './dialect.ts';
import { postgresOrm, postgresSchemaOrm } from './orm.ts';
import { PostgresTransactions } from './transactions.ts';

interface PostgresStoreOptions {
  /** `postgres://user:password@host:port/name` */
  readonly url: string;
  readonly tables: readonly TableDescription[];
  /** The size of the connection pool. @default 10 */
  readonly connections?: number;
  /** Replaces the migrations that ship with the package, in tests of migrating. */
  readonly migrations?: readonly MigrationEntry[];
}

/**
 * Opens a store in a PostgreSQL database, which several processes may share; `now()` is the database's clock.
 * The pool connects on first use, and again after the database was unavailable.
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<MikroOrmStore> {
  const { url, tables, connections = 10, migrations = postgresMigrations } = options;
  const address = new URL(url);
  const translateError = (error: unknown) => storeErrorOf(error, address);
  const database = decodeURIComponent(address.pathname.slice(1));
  const pool = openPool({ url, connections });
  const transactions = new PostgresTransactions(pool);
  const orm = postgresOrm({ dialect: postgresDialect, transactions, database });
  const ormConnection = orm.em.getConnection();
  const kysely = ormConnection.getClient();
  const schema = new Schema({
    orm: () => postgresSchemaOrm({ kysely, database, tables, migrations }),
    kysely,
    translateError,
    known: migrations.map(({ name }) => name),
    createTable:
      'create table if not exists "horarium_migrations" ("id" serial primary key, "name" varchar(255), "executed_at" timestamptz(0) default current_timestamp)',
    lock: `select pg_advisory_xact_lock(hashtextextended('horarium:migrations', 0))`,
    isMissing: (error) => /^42(P01|703)$/.test(codeOf(error)),
    migrating: (work) => work(),
  });
  const close = async () => {
    await orm.close();
    if (!pool.ending) await pool.end();
  };
  return new MikroOrmStore({
    dialect: postgresDialect,
    schema,
    tables,
    transactions: new OrmTransactions(ormConnection, transactions),
    translateError,
    close,
  });
}

// SQLSTATE of serialization_failure, deadlock_detected and lock_not_available.
const retryable = /^(40001|40P01|55P03)$/;

const messages: readonly (readonly [RegExp, string])[] = [
  [/^28/, 'refuses the user or its password'],
  [/^3D000/, 'has no such database'],
  [/^42501/, 'does not permit this user to do that'],
  [/^53300/, 'has no connection left'],
  [/^53100/, 'has no space left on its disk'],
  [/^25006/, 'only reads at the moment'],
  [/^(08|57P0|58|25P03)/, 'has closed the connection'],
  [/^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/, 'does not answer'],
  [/^(ECONNRESET|EPIPE)$/, 'has closed the connection'],
];
const disconnected =
  /Connection terminated|timeout exceeded when trying to connect|not queryable|Client has encountered a connection error|Client was closed|does not support SSL/i;

/** Translates an error of the driver into what the store throws; DatabaseBusy when the transaction is to be run again. */
function storeErrorOf(error: unknown, { hostname, port, pathname, searchParams }: URL): unknown {
  const code = codeOf(error);
  if (retryable.test(code)) return new DatabaseBusy();
  const knownMessage = messages.find(([pattern]) => pattern.test(code));
  const message =
    knownMessage?.[1] ?? (error instanceof Error && disconnected.test(error.message) ? 'does not answer' : undefined);
  if (!message) return error;
  const host = hostname || searchParams.get('host') || 'localhost';
  const database = decodeURIComponent(pathname.slice(1));
  return new HorariumError('unavailable', `PostgreSQL at ${host}:${port || 5432} (database ${database}) ${message}.`);
}

/**
 * Returns the SQLSTATE or system error code of a failure; where several addresses were tried, the code of the first.
 */
function codeOf(error: unknown): string {
  const { code, errors } = error as { code?: unknown; errors?: readonly unknown[] };
  if (typeof code === 'string') return code;
  return errors && errors.length > 0 ? codeOf(errors[0]) : '';
}
