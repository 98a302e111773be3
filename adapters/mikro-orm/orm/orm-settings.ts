import type { TableDescription } from '@horarium/core';
import { Migrator } from '@mikro-orm/migrations';
import type { Kysely } from 'kysely';
import type { Dialect, Transactions } from '../dialect.ts';
import { entitiesOf } from '../schema/entities.ts';
import { MigrationFile } from '../schema/migration-file.ts';
import { type MigrationEntry, migrationsTable } from '../schema/schema.ts';
import { TransactionDriver } from './driver.ts';

export interface OrmParts {
  readonly dialect: Dialect;
  /** The transactions of the database, on which MikroORM runs. */
  readonly transactions: Transactions;
  readonly database: string;
}

export interface SchemaOrmParts {
  /** The Kysely of the MikroORM that runs the transactions. */
  readonly kysely: Kysely<unknown>;
  readonly database: string;
  readonly tables: readonly TableDescription[];
  readonly migrations: readonly MigrationEntry[];
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

/** Builds the options of the MikroORM that runs transactions. It has no entities, which take 50 ms to discover. */
export function runtimeSettings({ dialect, transactions, database }: OrmParts) {
  const driverOptions = dialect.createKyselyDialect(new TransactionDriver(transactions));
  return { ...common, entities: [], discovery: { warnWhenNoEntities: false }, dbName: database, driverOptions };
}

/** Builds the options of the MikroORM that compares schemas and runs migrations. */
export async function schemaSettings(
  dialect: Dialect['kind'],
  { kysely, database, tables, migrations }: SchemaOrmParts,
) {
  return {
    ...common,
    entities: entitiesOf(tables, dialect),
    dbName: database,
    driverOptions: kysely,
    extensions: [Migrator],
    migrations: {
      tableName: migrationsTable,
      migrationsList: await Promise.all(migrations.map(async ({ name, load }) => ({ name, class: await load() }))),
      snapshot: false,
      disableForeignKeys: false,
      silent: true,
      generator: MigrationFile,
      fileName: (timestamp: string, name?: string) => `${timestamp}-${name ?? 'change'}`,
    },
  };
}
