import { HorariumError, MemoryStore } from '@horarium/core';
import type { Database, DatabaseAddress } from './database.ts';
import { postgresql } from './dialects/postgresql/database.ts';
import { sqlite } from './dialects/sqlite/database.ts';

const memory = {
  kind: 'memory',
  title: 'memory',
  urlForm: 'memory:',
  readUrl: (url) => (url === 'memory:' ? { url } : undefined),
  open: async ({ tables, clock }) => new MemoryStore({ tables, clock }),
} satisfies Database;

/** Every kind of database that MikroORM knows and a store can be in. */
export const ormDatabases = [sqlite, postgresql] as const;

/** Every kind of database that a store can be in; the URLs, settings and messages that name them derive from it. */
const databases: readonly Database[] = [...ormDatabases, memory];

/** The forms that the URL of a database may have, for messages. */
export const databaseUrlForms = alternatives(databases.map(({ urlForm }) => urlForm));

/** The names of the databases that MikroORM knows, for messages. */
export const ormDatabaseTitles = alternatives(ormDatabases.map(({ title }) => title));

/** A URL that names no database. Its message does not repeat the URL, which may hold a password. */
export class InvalidDatabaseUrl extends HorariumError {
  /** What the URL lacks, where it has the form of one. */
  readonly reason: string | undefined;

  constructor(reason?: string) {
    super('invalid', `The database URL must be ${databaseUrlForms}${reason === undefined ? '' : `; ${reason}`}.`);
    this.reason = reason;
  }
}

/** A database that a URL names. */
export interface NamedDatabase extends DatabaseAddress {
  readonly database: Database;
}

/** Reads the URL of a database. @throws InvalidDatabaseUrl for a URL of another form. */
export function readDatabaseUrl(url: string): NamedDatabase {
  for (const database of databases) {
    const address = database.readUrl(url);
    if (typeof address === 'string') throw new InvalidDatabaseUrl(address);
    if (address) return { database, ...address };
  }
  throw new InvalidDatabaseUrl();
}

/** Joins words by commas and `or`. `Intl.ListFormat` would take 15 ms of every start. */
function alternatives(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}
