import type { TableDescription } from '@horarium/core';
import type { AnyRow } from '@horarium/core/store';
import type { MikroORM } from '@mikro-orm/core';
import type { AbstractSqlConnection, SqlEntityManager } from '@mikro-orm/sql';
import type { DatabaseConnection } from 'kysely';
import { type Dialect, plainBytes, type SqlResult, type ValueCodec } from '../../dialect.ts';
import { MikroOrmStore } from '../../mikro-orm-store.ts';
import { ApplicationConnection } from '../../orm/application-connection.ts';
import type { MigrationEntry } from '../../schema/schema.ts';
import { PostgresBulkWrites } from './bulk-writes.ts';
import { postgresDialect } from './dialect.ts';
import { storeErrorOf } from './errors.ts';
import { postgresSchema } from './schema.ts';
import { ServerFunctions } from './transaction.ts';
import { postgresCodec } from './value-codec.ts';

interface ApplicationStoreOptions {
  readonly orm: MikroORM;
  readonly tables: readonly TableDescription[];
  readonly migrations: readonly MigrationEntry[];
}

/** Opens a store on the MikroORM of an application, whose PostgreSQL database it shares. */
export function postgresStoreOn({ orm, tables, migrations }: ApplicationStoreOptions): MikroOrmStore {
  const em = orm.em as SqlEntityManager;
  const address = addressOf(orm);
  const kysely = (em.getConnection() as AbstractSqlConnection).getClient();
  const translateError = (error: unknown) => storeErrorOf(error, address);
  const database = decodeURIComponent(address.pathname.slice(1));
  return new MikroOrmStore({
    dialect: applicationDialect,
    schema: postgresSchema({ kysely, database, tables, migrations, translateError }),
    tables,
    em,
    oneAtATime: false,
    adopt: (connection) => new ApplicationTransaction(connection),
    translateError,
  });
}

/** Returns the address of the database without its credentials, for messages. */
function addressOf({ config }: MikroORM): URL {
  const { host, port, database } = config.getDriver().getConnection().getConnectionOptions();
  return new URL(`postgres://${host ?? 'localhost'}:${port ?? 5432}/${encodeURIComponent(database ?? '')}`);
}

/** A transaction of the application's MikroORM on PostgreSQL. */
class ApplicationTransaction extends ServerFunctions {
  readonly #connection: ApplicationConnection;

  constructor(connection: DatabaseConnection) {
    super();
    this.#connection = new ApplicationConnection(connection);
  }

  override run(sql: string, parameters: readonly unknown[]): Promise<SqlResult> {
    return this.#connection.run(sql, parameters);
  }
}

const decoders = {
  integer: Number,
  reference: Number,
  // Drivers return times as text in the time zone of the session, `2026-11-21 05:00:00.123+05:30`, or as dates.
  instant: (value: unknown) =>
    value instanceof Date
      ? value.getTime()
      : Date.parse(
          String(value)
            .replace(' ', 'T')
            .replace(/[+-]\d\d$/, '$&:00'),
        ),
  binary: (value: unknown) => plainBytes(value as Buffer),
} as const;

/** Decodes what the application's driver returns: its own type parsers leave times and large numbers as text. */
const applicationCodec: ValueCodec = {
  ...postgresCodec,
  decode(table, row) {
    for (const { name, kind } of table.columns) {
      const value = row[name];
      if (value !== null && value !== undefined && kind in decoders)
        row[name] = decoders[kind as keyof typeof decoders](value);
    }
    return row as AnyRow;
  },
};

const applicationDialect: Dialect = {
  ...postgresDialect,
  codec: applicationCodec,
  createBulkWrites: (statements) => new PostgresBulkWrites(statements, applicationCodec),
};
