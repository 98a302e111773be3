import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { allTables, type Store, systemClock } from '@horarium/core';
import { openPostgresStore } from '../../../adapters/mikro-orm/dialects/postgresql/store.ts';
import { openSqliteStore } from '../../../adapters/mikro-orm/dialects/sqlite/store.ts';
import { createDatabase, TestPostgres } from '../../support/store/test-postgres.ts';
import { childrenOf } from './processor-time.ts';

export const databases = ['SQLite FULL', 'SQLite NORMAL', 'PostgreSQL'] as const;
export type DatabaseName = (typeof databases)[number];

/** An empty, migrated store on a disk, with the durability settings of production. */
export interface BenchDatabase extends AsyncDisposable {
  readonly store: Store;
  /** The value of `HORARIUM_DATABASE_URL`. */
  readonly url: string;
  /** The value of `HORARIUM_SQLITE_SYNCHRONOUS`. */
  readonly synchronous: 'full' | 'normal';
  /** The processes of its server, if it has one. */
  processes(): readonly number[];
}

export async function openDatabase(name: DatabaseName): Promise<BenchDatabase> {
  return name === 'PostgreSQL' ? openPostgres() : openSqlite(await createFolder(), synchronousOf(name));
}

/** Opens one SQLite file with both settings of synchronous. */
export async function openBoth(): Promise<Record<'SQLite FULL' | 'SQLite NORMAL', BenchDatabase>> {
  const folder = await createFolder();
  const full = await openSqlite(folder, 'full');
  return { 'SQLite FULL': full, 'SQLite NORMAL': await openSqlite(folder, 'normal') };
}

function synchronousOf(name: DatabaseName): 'full' | 'normal' {
  return name === 'SQLite NORMAL' ? 'normal' : 'full';
}

function createFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'horarium-bench-'));
}

async function openSqlite(folder: string, synchronous: 'full' | 'normal'): Promise<BenchDatabase> {
  const file = join(folder, 'horarium.sqlite');
  const store = await openSqliteStore({ file, tables: allTables, clock: systemClock, synchronous });
  await store.schema.migrate();
  return {
    store,
    synchronous,
    url: `sqlite:${file}`,
    processes: () => [],
    async [Symbol.asyncDispose]() {
      await store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function openPostgres(): Promise<BenchDatabase> {
  process.env['HORARIUM_TEST_FSYNC'] = 'on';
  const server = new TestPostgres();
  const url = await createDatabase({ server: await server.start() });
  const store = await openPostgresStore({ url, tables: allTables });
  await store.schema.migrate();
  return {
    store,
    url,
    synchronous: 'full',
    processes() {
      const postmaster = Number.parseInt(readFileSync(join(server.folder, 'data', 'postmaster.pid'), 'utf8'), 10);
      return [postmaster, ...childrenOf(postmaster)];
    },
    async [Symbol.asyncDispose]() {
      await store.close();
      await server.close();
    },
  };
}
