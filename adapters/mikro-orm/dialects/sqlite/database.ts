import { resolve } from 'node:path';
import type { OrmDatabase } from '../../database.ts';
import { sqliteMigrations } from './migrations/index.ts';

export const sqlite = {
  kind: 'sqlite',
  title: 'SQLite',
  urlForm: 'sqlite:PATH',
  readUrl(url) {
    const file = /^sqlite:(?:\/\/)?(.+)$/s.exec(url)?.[1];
    if (file === ':memory:') return 'a throw-away store is asked for with memory:';
    return file === undefined ? undefined : { url: `sqlite:${file}`, file };
  },
  async open({ file = '', folder, tables, clock, synchronous, furtherMigrations }) {
    const { openSqliteStore } = await import('./store.ts');
    const migrations = [...sqliteMigrations, ...furtherMigrations];
    return openSqliteStore({ file: resolve(folder, file), tables, clock, synchronous, migrations });
  },
  platform: 'SqlitePlatform',
  async openOn(orm, { tables, clock, furtherMigrations }) {
    const { sqliteStoreOn } = await import('./application-store.ts');
    return sqliteStoreOn({ orm, tables, clock, migrations: [...sqliteMigrations, ...furtherMigrations] });
  },
} as const satisfies OrmDatabase;
