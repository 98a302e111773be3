import { allTables, type Clock, systemClock, type TableDescription } from '@horarium/core';
import type { OpenedStore } from './database.ts';
import { type ormDatabases, readDatabaseUrl } from './databases.ts';
import type { MigrationEntry } from './schema/schema.ts';

/** Migrations for tables beyond those of the package, by the kind of database, which are run after its own. */
export type FurtherMigrations = {
  readonly [K in (typeof ormDatabases)[number]['kind']]?: readonly MigrationEntry[];
};

export interface OpenOptions {
  /** `sqlite:PATH`, `postgres://USER:PASSWORD@HOST:PORT/NAME` or `memory:` */
  readonly url: string;
  /** The folder where a relative PATH starts. @default the working directory */
  readonly folder?: string;
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

/**
 * Opens the store that a URL names. The drivers of a database are loaded only when its store is opened.
 * @throws HorariumError `invalid` for a URL of another form; `unavailable` when the store cannot be opened.
 */
export async function openStore(options: OpenOptions): Promise<OpenedStore & AsyncDisposable> {
  const { database, ...address } = readDatabaseUrl(options.url);
  return database.open({
    ...address,
    folder: options.folder ?? '.',
    tables: options.tables ?? allTables,
    clock: options.clock ?? systemClock,
    synchronous: options.synchronous ?? 'full',
    connections: options.connections ?? 10,
    furtherMigrations: furtherMigrationsOf(options, database.kind),
  });
}

/** Returns the further migrations for one kind of database. */
export function furtherMigrationsOf(
  { furtherMigrations = {} }: { readonly furtherMigrations?: FurtherMigrations },
  kind: string,
): readonly MigrationEntry[] {
  return furtherMigrations[kind as keyof FurtherMigrations] ?? [];
}
