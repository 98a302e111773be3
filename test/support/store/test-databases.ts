import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { StoreTraits } from '@horarium/core/contracts';
import type { MikroORM, Options } from '@mikro-orm/core';
import { MikroORM as PostgresOrm } from '@mikro-orm/postgresql';
import { MikroORM as SqliteOrm } from '@mikro-orm/sqlite';
import Database from 'better-sqlite3';
import type { ormDatabases } from '../../../adapters/mikro-orm/databases.ts';
import { temporaryFolder } from '../mocha/temporary-folder.ts';
import { administer, createDatabase, dropDatabase } from './test-postgres.ts';

/** An empty database for tests. */
export interface TestDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** What tests need for each kind of database that MikroORM knows. */
interface DatabaseKind {
  readonly title: string;
  readonly traits: StoreTraits;
  create(): Promise<TestDatabase>;
  /** Executes a statement past the store. */
  execute(url: string, sql: string): Promise<unknown>;
  /** Opens a MikroORM of an application in such a database. */
  openOrm(url: string, options: Partial<Options>): Promise<MikroORM>;
}

export const databaseKinds: Readonly<Record<(typeof ormDatabases)[number]['kind'], DatabaseKind>> = {
  sqlite: {
    title: 'SQLite',
    traits: {},
    async create() {
      const folder = temporaryFolder('database');
      return { url: `sqlite:${join(folder, 'a.sqlite')}`, drop: async () => rmSync(folder, { recursive: true }) };
    },
    execute: async (url, sql) => {
      const database = new Database(url.replace('sqlite:', ''));
      database.exec(sql);
      database.close();
    },
    openOrm: (url, options) => SqliteOrm.init({ ...options, dbName: url.replace(/^sqlite:/, '') }),
  },
  postgresql: {
    title: 'PostgreSQL',
    traits: { databaseTime: true, concurrent: true },
    async create() {
      const url = await createDatabase();
      return { url, drop: () => dropDatabase(url) };
    },
    execute: administer,
    openOrm: (url, options) => PostgresOrm.init({ ...options, clientUrl: url }),
  },
};
