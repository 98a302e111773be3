import type { OrmDatabase } from '../../database.ts';
import { postgresqlMigrations } from './migrations/index.ts';

export const postgresql = {
  kind: 'postgresql',
  title: 'PostgreSQL',
  urlForm: 'postgres://USER:PASSWORD@HOST:PORT/NAME',
  readUrl(url) {
    if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url)) return undefined;
    const hasName = /^\/[^/]+$/.test(new URL(url).pathname);
    return hasName ? { url } : 'the name of the database is missing after the host';
  },
  async open({ url, tables, connections, furtherMigrations }) {
    const { openPostgresStore } = await import('./store.ts');
    const migrations = [...postgresqlMigrations, ...furtherMigrations];
    return openPostgresStore({ url, tables, connections, migrations });
  },
  platform: 'PostgreSqlPlatform',
  async openOn(orm, { tables, furtherMigrations }) {
    const { postgresStoreOn } = await import('./application-store.ts');
    return postgresStoreOn({ orm, tables, migrations: [...postgresqlMigrations, ...furtherMigrations] });
  },
} as const satisfies OrmDatabase;
