import {
  allTables,
  type Clock,
  HorariumError,
  MemoryStore,
  type Store,
  systemClock,
  type TableDescription,
} from '@horarium/core';
import { postgresMigrations } from './dialects/postgresql/migrations/index.ts';
import { sqliteMigrations } from './dialects/sqlite/migrations/index.ts';
import type { MigrationEntry } from './schema/schema.ts';

/** Migrations for tables beyond those of the package, run after its own. */
export interface FurtherMigrations {
  /** @default none */
  readonly sqlite?: readonly MigrationEntry[];
  /** @default none */
  readonly postgresql?: readonly MigrationEntry[];
}

export interface OpenOptions {
  /** `sqlite:PATH`, `postgres://USER:PASSWORD@HOST:PORT/NAME` or `memory:` */
  readonly url: string;
  /** @default those of the product */
  readonly tables?: readonly TableDescription[];
  /** On PostgreSQL the clock of the database counts. @default that of this machine */
  readonly clock?: Clock;
  /** SQLite only. @default 'full' */
  readonly synchronous?: 'full' | 'normal';
  /** PostgreSQL only: the size of the connection pool. @default 10 */
  readonly connections?: number;
  /** @default none */
  readonly furtherMigrations?: FurtherMigrations;
}

/** A store that may have tables to migrate. */
export interface OpenedStore extends Store {
  /**
   * Left out by a store that needs no migrations. Both methods throw HorariumError `unavailable` for a database that
   * another version has migrated.
   */
  readonly schema?: { pending(): Promise<string[]>; migrate(): Promise<string[]> };
}

/**
 * Opens the store that a URL names. The drivers of a database are loaded only when its store is opened.
 * @throws HorariumError `invalid` for a URL of another form; `unavailable` when the store cannot be opened.
 */
export async function openStore(options: OpenOptions): Promise<OpenedStore> {
  const { url, tables = allTables, clock = systemClock, synchronous = 'full', connections = 10 } = options;
  const { furtherMigrations = {} } = options;
  const [, scheme, rest] = /^([a-z]+):(.*)$/s.exec(url) ?? [];
  if (scheme === 'memory' && rest === '') return new MemoryStore({ tables, clock });
  if (scheme === 'sqlite' && rest) {
    const { openSqliteStore } = await import('./dialects/sqlite/store.ts');
    const { sqlite: further = [] } = furtherMigrations;
    const migrations = [...sqliteMigrations, ...further];
    return openSqliteStore({ file: rest, tables, clock, synchronous, migrations });
  }
  if ((scheme === 'postgres' || scheme === 'postgresql') && namesDatabase(url)) {
    const { openPostgresStore } = await import('./dialects/postgresql/store.ts');
    const { postgresql: further = [] } = furtherMigrations;
    const migrations = [...postgresMigrations, ...further];
    return openPostgresStore({ url, tables, connections, migrations });
  }
  // The message does not repeat the URL, because it may hold a password.
  throw new HorariumError(
    'invalid',
    `The database URL must be sqlite:PATH, postgres://USER:PASSWORD@HOST:PORT/NAME or memory:${scheme ? `, and not one that begins with ${scheme}:` : ''}.`,
  );
}

function namesDatabase(url: string): boolean {
  return URL.canParse(url) && new URL(url).pathname.length > 1;
}
