import { allTables, type Clock, HorariumError, systemClock, type TableDescription } from '@horarium/core';
import type { MikroORM } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { postgresMigrations } from './dialects/postgresql/migrations/index.ts';
import { sqliteMigrations } from './dialects/sqlite/migrations/index.ts';
import type { MikroOrmStore } from './mikro-orm-store.ts';
import type { FurtherMigrations } from './open-store.ts';

export interface MikroOrmStoreOptions {
  /** The application's MikroORM, on SQLite or PostgreSQL. The store never closes it. */
  readonly orm: MikroORM;
  /** @default those of the product */
  readonly tables?: readonly TableDescription[];
  /** SQLite only; on PostgreSQL the clock of the database counts. @default that of this machine */
  readonly clock?: Clock;
  /** @default none */
  readonly furtherMigrations?: FurtherMigrations;
}

/**
 * Opens a store in the database of an application's own MikroORM. Its tables begin with `horarium_` and have a table of
 * migrations of their own; `store.schema.migrate()` creates them. Let the application's schema tools leave them alone by
 * `schemaGenerator: { skipTables: [/^horarium_/] }`.
 * @throws HorariumError `invalid` for a database that is neither SQLite nor PostgreSQL.
 */
export async function mikroOrmStore(options: MikroOrmStoreOptions): Promise<MikroOrmStore> {
  const { orm, tables = allTables, clock = systemClock, furtherMigrations = {} } = options;
  const em = orm.em as SqlEntityManager;
  const platform = em.getPlatform().constructor.name;
  if (platform === 'SqlitePlatform') {
    const { sqliteStoreOf } = await import('./dialects/sqlite/application-store.ts');
    const migrations = [...sqliteMigrations, ...(furtherMigrations.sqlite ?? [])];
    return sqliteStoreOf({ em, database: `${orm.config.get('dbName')}`, tables, clock, migrations });
  }
  if (platform === 'PostgreSqlPlatform') {
    const { postgresStoreOf } = await import('./dialects/postgresql/application-store.ts');
    const migrations = [...postgresMigrations, ...(furtherMigrations.postgresql ?? [])];
    return postgresStoreOf({ em, address: addressOf(orm), tables, migrations });
  }
  throw new HorariumError('invalid', `A store needs a MikroORM on SQLite or PostgreSQL, not one with the ${platform}.`);
}

/** Returns the address of the database without its credentials. */
function addressOf({ config }: MikroORM): URL {
  const { host, port, database } = config.getDriver().getConnection().getConnectionOptions();
  return new URL(`postgres://${host ?? 'localhost'}:${port ?? 5432}/${encodeURIComponent(database ?? '')}`);
}
