import { choice, count, defineEventSourceKind, definePlugin, flag, seconds, text, texts } from '@horarium/core/plugin';
import { ChangesTable, changeColumns, tableName } from './changes-table.ts';
import { type DatabasePlace, sslModes, type TableDatabase } from './table-database.ts';

const drivers = ['mysql', 'pgsql', 'sqlite'] as const;

interface SourceOptions extends DatabasePlace {
  readonly driver: (typeof drivers)[number];
  readonly table: string;
  readonly gap_wait: number;
  readonly delete_processed: boolean;
}

/** Event sources that are tables which a webhook adapter writes its changes to. */
export default definePlugin({
  name: 'event-source-changes-table',
  api: 1,
  options: {
    sqlite_folders: texts(4096, {
      description: 'Folders whose SQLite files may be opened. None: no SQLite file may.',
    }),
  },
  eventSourceKinds: ({ options: { sqlite_folders } }) => [
    defineEventSourceKind({
      name: 'changes-table',
      options: {
        driver: choice(drivers, { description: 'mysql also reads MariaDB.' }).required(),
        host: text(255).default('localhost').nonNullable(),
        port: count(0, { description: 'Null = the default port of the server.' })
          .min(1)
          .max(65_535)
          .nullable()
          .default(null),
        database: text(1024, { description: 'The name of the database; for SQLite, the path of the file.' }).required(),
        username: text(255),
        password: text(1024, { secret: 'encrypted' }),
        sslmode: choice(sslModes, { description: 'verify-full is the one to use beyond this machine.' })
          .default('disable')
          .nonNullable(),
        sslrootcert: text(65_536, {
          description: 'Certificates that verify-full trusts, in PEM; null = the well-known authorities.',
        }),
        table: text(127)
          .matches(tableName, ({ path }: { path: string }) => `${path} must be the name of a table`)
          .default('changes_cache')
          .nonNullable(),
        gap_wait: seconds(60, {
          description: 'Seconds to wait for a missing key: its row may be committed later than rows with higher keys.',
        }).max(86_400),
        delete_processed: flag(false, { description: 'Whether rows are deleted once their events are stored.' }),
      },
      address: ['driver', 'host', 'port', 'sslmode'],
      columns: changeColumns,
      open: async (options, signal) => new ChangesTable(await connect(options, sqlite_folders, signal), options),
      probe: async (options, signal) => {
        const table = new ChangesTable(await connect(options, sqlite_folders, signal), options);
        try {
          await table.probe(signal);
        } finally {
          await table.close();
        }
      },
    }),
  ],
});

/** Connects by the driver of the database, which is imported when a source first needs it. */
async function connect(
  options: SourceOptions,
  folders: readonly string[],
  signal: AbortSignal,
): Promise<TableDatabase> {
  const { driver, database, delete_processed } = options;
  switch (driver) {
    case 'sqlite':
      return (await import('./sqlite-database.ts')).openSqlite(database, folders, delete_processed, signal);
    case 'pgsql':
      return (await import('./postgres-database.ts')).connectPostgres(options, delete_processed, signal);
    case 'mysql':
      return (await import('./mysql-database.ts')).connectMysql(options, delete_processed, signal);
  }
}
