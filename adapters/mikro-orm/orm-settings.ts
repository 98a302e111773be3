import type { TableDescription } from '@horarium/core';
import { Migrator } from '@mikro-orm/migrations';
import type { Kysely } from 'kysely';
import { entitiesOf } from './entities.ts';
import { MigrationFile } from './migration-file.ts';
import type { MigrationEntry } from './schema.ts';
import type { Dialect } from './sql-dialect.ts';

export interface OrmParts {
  readonly kysely: Kysely<unknown>;
  readonly database: string;
  readonly tables: readonly TableDescription[];
  readonly migrations: readonly MigrationEntry[];
}

/** Builds the options of MikroORM that both databases share. MikroORM uses the store's own connections. */
export async function ormSettings(dialect: Dialect['kind'], { kysely, database, tables, migrations }: OrmParts) {
  return {
    entities: entitiesOf(tables, dialect),
    dbName: database,
    driverOptions: kysely,
    extensions: [Migrator],
    // MikroORM writes values, secrets included, into the SQL text that it logs.
    debug: false,
    logger: () => undefined,
    // Times are stored in UTC, whatever the time zone of the process.
    forceUtcTimezone: true,
    migrations: {
      migrationsList: await Promise.all(migrations.map(async ({ name, load }) => ({ name, class: await load() }))),
      snapshot: false,
      disableForeignKeys: false,
      silent: true,
      generator: MigrationFile,
      fileName: (timestamp: string, name?: string) => `${timestamp}-${name ?? 'change'}`,
    },
  };
}
