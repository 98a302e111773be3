import type { SchemaOrmParts } from '../../orm/orm-settings.ts';
import { Schema } from '../../schema/schema.ts';
import { codeOf } from './errors.ts';
import { postgresSchemaOrm } from './orm.ts';

interface PostgresSchemaOptions extends SchemaOrmParts {
  translateError(error: unknown): unknown;
}

export function postgresSchema({ translateError, ...parts }: PostgresSchemaOptions): Schema {
  return new Schema({
    orm: () => postgresSchemaOrm(parts),
    kysely: parts.kysely,
    translateError,
    known: parts.migrations.map(({ name }) => name),
    createTable:
      'create table if not exists "horarium_migrations" ("id" serial primary key, "name" varchar(255), "executed_at" timestamptz(0) default current_timestamp)',
    lock: `select pg_advisory_xact_lock(hashtextextended('horarium:migrations', 0))`,
    isMissing: (error) => /^42(P01|703)$/.test(codeOf(error)),
    migrating: (work) => work(),
  });
}
