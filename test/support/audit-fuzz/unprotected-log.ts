import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { allTables, type Store } from '@horarium/core';
import { StandingClock } from '@horarium/core/contracts';
import Database from 'better-sqlite3';
import pg from 'pg';
import { openPostgresStore } from '../../../adapters/mikro-orm/dialects/postgresql/store.ts';
import { openSqliteStore } from '../../../adapters/mikro-orm/dialects/sqlite/store.ts';
import type { StoreKind } from '../faults/service-world.ts';
import { temporaryFolder } from '../mocha/temporary-folder.ts';
import { createDatabase, dropDatabase } from '../store/test-postgres.ts';

/** A store in a database, and somebody who may do anything to its tables. */
export interface Intruder extends AsyncDisposable {
  readonly kind: StoreKind;
  readonly clock: StandingClock;
  readonly store: Store;
  /** Runs statements past the store. @returns the rows of a single one. */
  execute(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

/** The table of the audit log. */
export const log = 'horarium_audit_log';
const copy = 'log_copy';
/** The table in which the sealer stores the head of the chain. */
const settings = 'horarium_setting';

export async function openIntruder(kind: StoreKind): Promise<Intruder> {
  return kind === 'sqlite' ? sqliteIntruder() : postgresIntruder();
}

async function sqliteIntruder(): Promise<Intruder> {
  const folder = temporaryFolder('audit');
  const file = join(folder, 'a.sqlite');
  const clock = new StandingClock();
  const store = await openSqliteStore({ file, tables: allTables, clock, synchronous: 'normal' });
  await store.schema.migrate();
  const database = new Database(file);
  return {
    kind: 'sqlite',
    clock,
    store,
    execute: async (sql) => {
      // The store ends the snapshot of its readers with the turn of the event loop.
      await turn();
      if (!sql.startsWith('select')) database.exec(sql);
      return sql.startsWith('select') ? (database.prepare(sql).all() as Record<string, unknown>[]) : [];
    },
    [Symbol.asyncDispose]: async () => {
      database.close();
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function postgresIntruder(): Promise<Intruder> {
  const url = await createDatabase();
  const store = await openPostgresStore({ url, tables: allTables });
  await store.schema.migrate();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return {
    kind: 'postgresql',
    clock: new StandingClock(),
    store,
    execute: async (sql) => (await client.query(sql)).rows ?? [],
    [Symbol.asyncDispose]: async () => {
      await client.end();
      await store.close();
      await dropDatabase(url);
    },
  };
}

/** Removes from the log all that the database enforces: triggers, keys, and that columns are not null. */
export async function unprotect({ execute }: Intruder): Promise<void> {
  await execute(`create table ${copy} as select * from ${log}; drop table ${log}`);
  await execute(
    `create table ${log} as select * from ${copy}; create table settings_copy as select * from ${settings}`,
  );
}

/** Makes the log again what it was when it was unprotected. */
export async function restore({ execute }: Intruder): Promise<void> {
  await execute(`delete from ${log}; insert into ${log} select * from ${copy}`);
  await execute(`delete from ${settings}; insert into ${settings} select * from settings_copy`);
}

/** Every value of the log as SQL text, to see whether a mutation changed anything. */
export async function dump({ kind, execute }: Intruder): Promise<string> {
  const columns = Object.keys((await execute(`select * from ${copy} limit 1`))[0] ?? {});
  const shown = (name: string) =>
    kind === 'sqlite'
      ? `typeof(${name}) || hex(cast(${name} as blob))`
      : `coalesce(quote_literal(${name}::text), 'null')`;
  const rows = await execute(`select ${columns.map((name) => `${shown(name)} as ${name}`).join()} from ${log}`);
  return rows
    .map((row) => JSON.stringify(row))
    .sort()
    .join('\n');
}
