import { CompiledQuery, type Kysely } from 'kysely';
import { openSchemaOrm, type SchemaOrmOptions } from '../../orm/open-orm.ts';
import { Schema } from '../../schema/schema.ts';
import { postgresDialect } from './dialect.ts';
import { codeOf } from './errors.ts';
import { clock } from './transaction.ts';

interface PostgresSchemaOptions extends Omit<SchemaOrmOptions, 'dialect'> {
  translateError(error: unknown): unknown;
}

export function postgresSchema({ translateError, ...parts }: PostgresSchemaOptions): Schema {
  return new Schema({
    orm: async () =>
      openSchemaOrm({ dialect: postgresDialect, ...parts, namespace: await currentSchema(parts.kysely) }),
    kysely: parts.kysely,
    translateError,
    known: parts.migrations.map(({ name }) => name),
    createTable:
      'create table if not exists "horarium_migrations" ("id" serial primary key, "name" varchar(255), "executed_at" timestamptz(0) default current_timestamp)',
    lock: `select pg_advisory_xact_lock(hashtextextended('horarium:migrations', 0))`,
    leases: {
      lock: 'lock table horarium_worker_lease in share row exclusive mode',
      now: () => `select ${clock}`,
      until: 'extract(epoch from lease_until) * 1000',
    },
    isMissing: (error) => /^42(P01|703)$/.test(codeOf(error)),
    migrating: (work) => work(),
  });
}

/** The schema that tables are created in, which `search_path` decides: MikroORM looks into `public` otherwise. */
async function currentSchema(kysely: Kysely<unknown>): Promise<string | undefined> {
  const { rows } = await kysely.executeQuery<{ name: string | null }>(
    CompiledQuery.raw('select current_schema() as "name"'),
  );
  return rows[0]?.name ?? undefined;
}
