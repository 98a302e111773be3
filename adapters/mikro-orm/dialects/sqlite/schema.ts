import { type Clock, HorariumError } from '@horarium/core';
import { CompiledQuery } from 'kysely';
import { openSchemaOrm, type SchemaOrmOptions } from '../../orm/open-orm.ts';
import { Schema } from '../../schema/schema.ts';
import { sqliteDialect } from './dialect.ts';

interface SqliteSchemaOptions extends Omit<SchemaOrmOptions, 'dialect'> {
  readonly clock: Pick<Clock, 'now'>;
  translateError(error: unknown): unknown;
}

export function sqliteSchema({ clock, translateError, ...parts }: SqliteSchemaOptions): Schema {
  // SQLite ignores the switch inside a transaction.
  const enforceForeignKeys = (on: boolean) =>
    parts.kysely.executeQuery(CompiledQuery.raw(`pragma foreign_keys = ${on ? 'on' : 'off'}`));
  return new Schema({
    orm: () => openSchemaOrm({ dialect: sqliteDialect, ...parts }),
    kysely: parts.kysely,
    translateError,
    known: parts.migrations.map(({ name }) => name),
    createTable:
      'create table if not exists "horarium_migrations" ("id" integer not null primary key autoincrement, "name" text null, "executed_at" datetime null default current_timestamp)',
    leases: { now: () => `select ${clock.now()} as "now"`, until: '"lease_until"' },
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
    check: async (transaction) => {
      const { rows } = await transaction.executeQuery<{ table: string; parent: string }>(
        CompiledQuery.raw('pragma foreign_key_check'),
      );
      const [row] = rows;
      if (row)
        throw new HorariumError(
          'unavailable',
          `Migrations would leave ${rows.length} rows that refer to missing ones, the first of ${row.table} to ${row.parent}; the database is unchanged.`,
        );
    },
  });
}
