import { type Clock, HorariumError, MemoryStore, type Store, type TableDescription } from '@horarium/core';

interface OpenOptions {
  /** `sqlite:PATH`, `postgres://USER:PASSWORD@HOST:PORT/NAME` or `memory:` */
  readonly url: string;
  readonly tables: readonly TableDescription[];
  readonly clock: Clock;
  /** Of SQLite only; `full` when left out. */
  readonly synchronous?: 'full' | 'normal';
  /** Of PostgreSQL only: most connections at once. */
  readonly connections?: number;
}

/** A store, and what it takes to bring its tables up to date. */
export interface Opened {
  readonly store: Store;
  /** Both throw HorariumError `unavailable` when a newer version of the program has used the database. */
  readonly schema: { pending(): Promise<string[]>; migrate(): Promise<string[]> };
}

/**
 * Opens the store that a URL stands for; what only one kind of store needs is loaded for that kind only.
 * @throws HorariumError `invalid` for a URL of another form; `unavailable` when the store cannot be opened.
 */
export async function openStore(options: OpenOptions): Promise<Opened> {
  const { url, tables, clock, synchronous = 'full', connections = 10 } = options;
  const [, scheme, rest] = /^([a-z]+):(.*)$/s.exec(url) ?? [];
  if (scheme === 'memory' && rest === '') {
    const upToDate = { pending: async () => [], migrate: async () => [] };
    return { store: new MemoryStore({ tables, clock }), schema: upToDate };
  }
  if (scheme === 'sqlite' && rest) {
    const { openSqliteStore } = await import('./dialects/sqlite/store.ts');
    const store = await openSqliteStore({ file: rest, tables, clock, synchronous });
    return { store, schema: store.schema };
  }
  if ((scheme === 'postgres' || scheme === 'postgresql') && namesDatabase(url)) {
    const { openPostgresStore } = await import('./dialects/postgresql/store.ts');
    const store = await openPostgresStore({ url, tables, connections });
    return { store, schema: store.schema };
  }
  // The URL itself is not repeated: it may hold a password.
  throw new HorariumError(
    'invalid',
    `The database URL must be sqlite:PATH, postgres://USER:PASSWORD@HOST:PORT/NAME or memory:${scheme ? `, and not one that begins with ${scheme}:` : ''}.`,
  );
}

function namesDatabase(url: string): boolean {
  return URL.canParse(url) && new URL(url).pathname.length > 1;
}
