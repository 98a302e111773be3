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
 * @throws HorariumError `invalid` for a database that is neither SQLite nor PostgreSQL, and for a MikroORM of another copy of
 *   `@mikro-orm/core`, whose open transactions the store would not see.
 */
export async function mikroOrmStore(options: MikroOrmStoreOptions): Promise<MikroOrmStore> {
  const { orm, tables = allTables, clock = systemClock } = options;
  await assertSameCopy(orm);
  const platform = orm.em.getPlatform().constructor.name;
  const database = ormDatabases.find((each) => each.platform === platform);
  if (!database)
    throw new HorariumError(
      'invalid',
      `A store needs a MikroORM on ${ormDatabaseTitles}, not one with the ${platform}.`,
    );
  return database.openOn(orm, { tables, clock, furtherMigrations: furtherMigrationsOf(options, database.kind) });
}

/** Two copies do not know each other's transactions: on SQLite one would wait for the other for ever. */
async function assertSameCopy(orm: MikroORM): Promise<void> {
  const { MikroORM: OwnMikroORM, Utils } = await import('@mikro-orm/core');
  if (orm instanceof OwnMikroORM) return;
  throw new HorariumError(
    'invalid',
    `The application's MikroORM is not the one that horarium loads: install version ${Utils.getORMVersion()} of its packages in the application too.`,
  );
}
