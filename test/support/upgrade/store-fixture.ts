import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Milliseconds } from '@horarium/core';
import { databaseKinds, type TestDatabase } from '../store/test-databases.ts';
import { administer } from '../store/test-postgres.ts';
import type { FilledStore } from './fill-store.ts';
import type { Answers } from './recorded-answers.ts';

/** A store that a released version has made, which every later one must be able to use. */
export interface StoreFixture extends FilledStore {
  /** When the service that filled it was killed. */
  readonly at: number;
  /** What the version that made it answered to requests with the token of its admin. */
  readonly answers: Answers;
}

type Kind = keyof typeof databaseKinds;

const folder = join(import.meta.dirname, '../../../../test/fixtures');

function unpack(commit: string, file: string): Buffer {
  return gunzipSync(readFileSync(join(folder, commit, `${file}.gz`)));
}

export function readFixture(commit: string, kind: Kind): StoreFixture {
  return JSON.parse(unpack(commit, `${kind}.json`).toString());
}

/**
 * Loads the store of a fixture into a new database.
 * @param ahead how far the clock of a database that has its own is put ahead, or back where it is negative.
 */
export async function loadFixture(commit: string, kind: Kind, ahead: Milliseconds = 0): Promise<TestDatabase> {
  const database = await databaseKinds[kind].create();
  const store = unpack(commit, `${kind}.store`);
  if (kind === 'sqlite') {
    writeFileSync(database.url.replace('sqlite:', ''), store);
    return database;
  }
  if (ahead === 0) {
    await administer(database.url, store.toString());
    return database;
  }
  // A function in the schema of the tables stands before that of PostgreSQL.
  await administer(database.url, 'create schema fixture');
  const url = `${database.url}?options=${encodeURIComponent('-c search_path=fixture,pg_catalog')}`;
  const clock = `create function clock_timestamp() returns timestamptz volatile language sql
    as $$ select pg_catalog.clock_timestamp() + interval '${ahead} milliseconds' $$`;
  await administer(url, store.toString() + clock);
  return { url, drop: database.drop };
}
