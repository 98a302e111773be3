import { allTables, type Clock, HorariumError, systemClock, type TableDescription } from '@horarium/core';
import type { MikroORM } from '@mikro-orm/core';
import { ormDatabases, ormDatabaseTitles } from './databases.ts';
import type { MikroOrmStore } from './mikro-orm-store.ts';
import { type FurtherMigrations, furtherMigrationsOf } from './open-store.ts';

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
  const { orm, tables = allTables, clock = systemClock } = options;
  const platform = orm.em.getPlatform().constructor.name;
  const database = ormDatabases.find((each) => each.platform === platform);
  if (!database)
    throw new HorariumError(
      'invalid',
      `A store needs a MikroORM on ${ormDatabaseTitles}, not one with the ${platform}.`,
    );
  return database.openOn(orm, { tables, clock, furtherMigrations: furtherMigrationsOf(options, database.kind) });
}
