import type { Milliseconds, TableDescription } from '@horarium/core';
import { openOrm } from '../../orm/open-orm.ts';
import { StoreDriver, storeConnectionOf } from '../../orm/store-driver.ts';
import type { MigrationEntry } from '../../schema/schema.ts';
import { SqlStore } from '../../sql-store.ts';
import { openPool } from './connection.ts';
import { postgresDialect } from './dialect.ts';
import { backgroundErrorOf, storeErrorOf } from './errors.ts';
import { postgresHints } from './hints.ts';
import { postgresqlMigrations } from './migrations/index.ts';
import { postgresSchema } from './schema.ts';
import { PostgresTransaction } from './transaction.ts';

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
export async function openPostgresStore(options: PostgresStoreOptions): Promise<SqlStore> {
  const { lockTimeout = 5000 } = options;
  return openOnPool(options, { background: openOnPool(options, { lockTimeout }) });
}

interface PoolRole {
  readonly background?: SqlStore;
  readonly lockTimeout?: Milliseconds;
}

function openOnPool(options: PostgresStoreOptions, { background, lockTimeout }: PoolRole): SqlStore {
  const { url, tables, connections = 10, migrations = postgresqlMigrations } = options;
  const address = new URL(url);
  const translate = lockTimeout === undefined ? storeErrorOf : backgroundErrorOf;
  const translateError = (error: unknown) => translate(error, address);
  const database = decodeURIComponent(address.pathname.slice(1));
  const pool = openPool({ url, connections, lockTimeout });
  const connect = async () => new PostgresTransaction(await pool.connect());
  const orm = openOrm({ dialect: postgresDialect, driver: new StoreDriver(connect), database });
  const connection = orm.em.getConnection();
  const kysely = connection.getClient();
  return new SqlStore({
    dialect: postgresDialect,
    schema: postgresSchema({ kysely, database, tables, migrations, translateError }),
    tables,
    connection,
    oneAtATime: false,
    adopt: storeConnectionOf,
    read: async (work, { singleStatement = false }) => {
      const transaction = await connect();
      try {
        // A single statement sees one snapshot by itself.
        if (!singleStatement) await transaction.begin('read');
        return await work(transaction);
      } finally {
        // What was read does not depend on how the transaction ends.
        void transaction
          .commit()
          .catch(() => undefined)
          .then(() => transaction.release());
      }
    },
    translateError,
    ...(background && { background, hints: postgresHints(url) }),
    close: async () => {
      await orm.close();
      if (!pool.ending) await pool.end();
    },
  });
}
