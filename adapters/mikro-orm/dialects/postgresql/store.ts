import { HorariumError, type TableDescription } from '@horarium/core';
import { Kysely } from 'kysely';
import { postgresMigrations } from '../../migrations/postgresql/index.ts';
import { type MigrationEntry, Schema } from '../../schema.ts';
import { SqlStore } from '../../sql-store.ts';
import { openPool, PoolDialect } from './connection.ts';
import { PostgresDialect } from './dialect.ts';
import { PostgresTransactions } from './transactions.ts';

interface PostgresStoreOptions {
  /** `postgres://user:password@host:port/name` */
  readonly url: string;
  readonly tables: readonly TableDescription[];
  /** Most connections at once; 10 when left out. */
  readonly connections?: number;
  /** Others than the program's own. */
  readonly migrations?: readonly MigrationEntry[];
}

/**
 * Opens a store in a PostgreSQL database, which may be shared by several processes; the time is the database's.
 * It connects when it is first used, and again when the database was gone.
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<SqlStore> {
  const { url, tables, connections = 10, migrations = postgresMigrations } = options;
  const where = new URL(url);
  const judgeAttempt = (error: unknown) => taskOutcome(error, where);
  const database = decodeURIComponent(where.pathname.slice(1));
  const pool = openPool({ url, connections });
  const kysely = new Kysely<unknown>({ dialect: new PoolDialect(pool) });
  const schema = new Schema({
    orm: async () => (await import('./orm.ts')).postgresOrm({ kysely, database, tables, migrations }),
    kysely,
    judgeAttempt,
    known: migrations.map(({ name }) => name),
    createTable:
      'create table if not exists "mikro_orm_migrations" ("id" serial primary key, "name" varchar(255), "executed_at" timestamptz(0) default current_timestamp)',
    lock: `select pg_advisory_xact_lock(hashtextextended('horarium:migrations', 0))`,
    isMissingTable: (error) => codeOf(error) === '42P01',
    hooks: (work) => work(),
  });
  const [dialect, transactions] = [new PostgresDialect(), new PostgresTransactions(pool)];
  const close = async () => {
    await kysely.destroy();
    if (!pool.ending) await pool.end();
  };
  return new SqlStore({ dialect, schema, tables, transactions, judgeAttempt, close });
}

// SQLSTATE: a deadlock, a serialization failure, and a lock that was not to be waited for.
const again = /^(40001|40P01|55P03)$/;

const words: readonly (readonly [RegExp, string])[] = [
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
const lost =
  /Connection terminated|timeout exceeded when trying to connect|not queryable|Client has encountered a connection error|Client was closed|does not support SSL/i;

function taskOutcome(error: unknown, { hostname, port, pathname, searchParams }: URL): unknown {
  const code = codeOf(error);
  if (again.test(code)) return 'again';
  const found = words.find(([pattern]) => pattern.test(code));
  const said = found?.[1] ?? (error instanceof Error && lost.test(error.message) ? 'does not answer' : undefined);
  if (!said) return error;
  const host = hostname || searchParams.get('host') || 'localhost';
  const database = decodeURIComponent(pathname.slice(1));
  return new HorariumError('unavailable', `PostgreSQL at ${host}:${port || 5432} (database ${database}) ${said}.`);
}

/** The SQLSTATE or system error of a failure; of several addresses tried, that of the first. */
function codeOf(error: unknown): string {
  const { code, errors } = error as { code?: unknown; errors?: readonly unknown[] };
  if (typeof code === 'string') return code;
  return errors && errors.length > 0 ? codeOf(errors[0]) : '';
}
