import type { SchemaOrmParts } from '../../orm/orm-settings.ts';
import { Schema } from '../../schema/schema.ts';
import { sqliteSchemaOrm } from './orm.ts';

interface SqliteSchemaOptions extends SchemaOrmParts {
  /** Switches the enforcement of foreign keys, outside a transaction. */
  enforceForeignKeys(on: boolean): Promise<void>;
  translateError(error: unknown): unknown;
}

export function sqliteSchema({ enforceForeignKeys, translateError, ...parts }: SqliteSchemaOptions): Schema {
  return new Schema({
    orm: () => sqliteSchemaOrm(parts),
    kysely: parts.kysely,
    translateError,
    known: parts.migrations.map(({ name }) => name),
    createTable:
      'create table if not exists "horarium_migrations" ("id" integer not null primary key autoincrement, "name" text null, "executed_at" datetime null default current_timestamp)',
    isMissing: (error) => /no such (table|column)/.test(String(error)),
    migrating: async (work) => {
      // Foreign keys are not enforced meanwhile, because SQLite changes a table by rebuilding it, which must not count
      // as deleting rows that others refer to.
      await enforceForeignKeys(false);
      try {
        await work();
      } finally {
        await enforceForeignKeys(true);
      }
    },
  });
}
