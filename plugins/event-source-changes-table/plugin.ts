import { choice, count, defineEventSourceKind, definePlugin, flag, text, texts } from '@horarium/core/plugin';
import { probePostgres, sslModes } from './probe-postgres.ts';
import { probeSqlite } from './probe-sqlite.ts';
import { tableName } from './table-name.ts';

/** Event sources that are tables which a webhook adapter writes its changes to. So far they are only probed. */
export default definePlugin({
  name: 'event-source-changes-table',
  api: 1,
  options: {
    sqlite_folders: texts(4096, {
      description: 'Folders that SQLite files may be opened in; none = no SQLite at all.',
    }),
  },
  eventSourceKinds: ({ options: { sqlite_folders } }) => [
    defineEventSourceKind({
      name: 'changes-table',
      options: {
        driver: choice(['pgsql', 'sqlite'], { description: 'This version does not support MySQL.' }).required(),
        host: text(255).default('localhost').nonNullable(),
        port: count(0, { description: 'Null = the usual one.' }).min(1).max(65_535).nullable().default(null),
        database: text(1024, { description: 'Its name; of SQLite the path of the file.' }).required(),
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
        gap_wait: count(60, { description: 'Seconds to wait for missing keys.' }),
        delete_processed: flag(false),
      },
      probe: async (options, signal) => {
        if (options.driver === 'sqlite') await probeSqlite(options.database, options.table, sqlite_folders);
        else await probePostgres(options, signal);
      },
    }),
  ],
});
