import type { Milliseconds, TableDescription } from '@horarium/core';
import { MikroOrmStore } from '../../mikro-orm-store.ts';
import { openOrm } from '../../orm/open-orm.ts';
import { OrmTransactions } from '../../orm/orm-transactions.ts';
import { adoptDriverConnection } from '../../orm/transaction-driver.ts';
import type { MigrationEntry } from '../../schema/schema.ts';
import { openPool } from './connection.ts';
import { postgresDialect } from './dialect.ts';
import { backgroundErrorOf, storeErrorOf } from './errors.ts';
import { postgresHints } from './hints.ts';
import { postgresqlMigrations } from './migrations/index.ts';
import { postgresSchema } from './schema.ts';
import { PostgresTransactions } from './transactions.ts';

interface PostgresStoreOptions {
  /** `postgres://user:password@host:port/name` */
  readonly url: string;
  readonly tables: readonly TableDescription[];
  /** The size of each of its two connection pools. @default 10 */
  readonly connections?: number;
  /**
   * How long background work waits for a lock, so that what it cannot foresee, such as a table that another program has locked, is
   * reported and tried again. @default 5 s, which is shorter than a lease lasts
   */
  readonly lockTimeout?: Milliseconds;
  /** Replaces the migrations that ship with the package, in tests of migrating. */
  readonly migrations?: readonly MigrationEntry[];
}

/**
 * Opens a store in a PostgreSQL database, which several processes may share; `now()` is the database's clock. It and its
 * `background` have a pool of connections each, which connects on first use, and again after the database was unavailable.
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<MikroOrmStore> {
  const { lockTimeout = 5000 } = options;
  return openOnPool(options, { background: openOnPool(options, { lockTimeout }) });
}

interface PoolRole {
  readonly background?: MikroOrmStore;
  readonly lockTimeout?: Milliseconds;
}

function openOnPool(options: PostgresStoreOptions, { background, lockTimeout }: PoolRole): MikroOrmStore {
  const { url, tables, connections = 10, migrations = postgresqlMigrations } = options;
  const address = new URL(url);
  const translate = lockTimeout === undefined ? storeErrorOf : backgroundErrorOf;
  const translateError = (error: unknown) => translate(error, address);
  const database = decodeURIComponent(address.pathname.slice(1));
  const pool = openPool({ url, connections, lockTimeout });
  const transactions = new PostgresTransactions(pool);
  const orm = openOrm({ dialect: postgresDialect, transactions, database });
  const ormConnection = orm.em.getConnection();
  const kysely = ormConnection.getClient();
  const schema = postgresSchema({ kysely, database, tables, migrations, translateError });
  const close = async () => {
    await orm.close();
    if (!pool.ending) await pool.end();
  };
  return new MikroOrmStore({
    dialect: postgresDialect,
    schema,
    tables,
    transactions: new OrmTransactions({
      connection: ormConnection,
      adopt: adoptDriverConnection,
      oneAtATime: false,
      reads: transactions,
    }),
    orm: { em: orm.em, adopt: adoptDriverConnection },
    translateError,
    ...(background && { background, hints: postgresHints(url) }),
    close,
  });
}
