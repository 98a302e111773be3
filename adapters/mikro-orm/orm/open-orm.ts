import type { TableDescription } from '@horarium/core';
import { type AbstractSqlDriver, SqlMikroORM } from '@mikro-orm/sql';
import type { Driver, Kysely } from 'kysely';
import type { Dialect } from '../dialect.ts';
import { type MigrationEntry, migrationsTable } from '../schema/schema.ts';

interface OrmOptions {
  readonly dialect: Dialect;
  /** Begins and ends the transactions of MikroORM on the store's connections. */
  readonly driver: Driver;
  readonly database: string;
}

export interface SchemaOrmOptions {
  readonly dialect: Dialect;
  /** The Kysely of the MikroORM that runs the transactions. */
  readonly kysely: Kysely<unknown>;
  readonly database: string;
  readonly tables: readonly TableDescription[];
  readonly migrations: readonly MigrationEntry[];
  /** The schema of the database in which its tables are created. @default that of the dialect */
  readonly namespace?: string | undefined;
}

const common = {
  // MikroORM writes values, secrets included, into the SQL text that it logs.
  debug: false,
  logger: () => undefined,
  // MikroORM would create a missing database, which is for its administrator to do.
  ensureDatabase: false,
  // Times are stored in UTC, whatever the time zone of the process.
  forceUtcTimezone: true,
};

/** Opens the MikroORM that runs transactions. It has no entities, which take 50 ms to discover. */
export function openOrm({ dialect, driver, database }: OrmOptions): SqlMikroORM {
  return new SqlMikroORM<AbstractSqlDriver>({
    ...common,
    driver: dialect.ormDriver,
    driverOptions: dialect.createKyselyDialect(driver),
    dbName: database,
    entities: [],
    discovery: { warnWhenNoEntities: false },
  });
}

/** Opens the MikroORM that compares schemas and runs migrations, on the connection of the one that runs transactions. */
export async function openSchemaOrm(options: SchemaOrmOptions): Promise<SqlMikroORM> {
  const { dialect, kysely, database, tables, migrations, namespace } = options;
  // Imported here, because a service whose tables are up to date needs none of them.
  const [{ Migrator }, { entitiesOf }, { MigrationFile }] = await Promise.all([
    import('@mikro-orm/migrations'),
    import('../schema/entities.ts'),
    import('../schema/migration-file.ts'),
  ]);
  return new SqlMikroORM<AbstractSqlDriver>({
    ...common,
    driver: dialect.ormDriver,
    driverOptions: kysely,
    dbName: database,
    entities: entitiesOf(tables, dialect),
    extensions: [Migrator],
    migrations: {
      tableName: migrationsTable,
      ...(namespace !== undefined && { schema: namespace }),
      migrationsList: await Promise.all(migrations.map(async ({ name, load }) => ({ name, class: await load() }))),
      snapshot: false,
      disableForeignKeys: false,
      silent: true,
      generator: MigrationFile,
    },
  });
}
