import { openSchemaOrm, type SchemaOrmOptions } from '../../orm/open-orm.ts';
import { Schema } from '../../schema/schema.ts';
import { postgresDialect } from './dialect.ts';
import { codeOf } from './errors.ts';

interface PostgresSchemaOptions extends Omit<SchemaOrmOptions, 'dialect'> {
  translateError(error: unknown): unknown;
}

export function postgresSchema({ translateError, ...parts }: PostgresSchemaOptions): Schema {
  return new Schema({
    orm: () => openSchemaOrm({ dialect: postgresDialect, ...parts }),
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
