import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ChangeBatch, EventSourceKind, OpenEventSource } from '@horarium/core';
import { StandingClock } from '@horarium/core/contracts';
import Database from 'better-sqlite3';
import pg from 'pg';
import plugin from '../../../plugins/event-source-changes-table/plugin.ts';
import { temporaryFolder } from '../../support/mocha/temporary-folder.ts';
import { mariadbd, TestMariadb } from '../../support/store/test-mariadb.ts';
import { createDatabase, dropDatabase } from '../../support/store/test-postgres.ts';

const columns =
  'recordid text, evidence text, operation text, externalids text, created text, source text, target text';

/** The statement that creates a table of changes. */
export const createTable = `create table changes_cache (inversion integer primary key, ${columns})`;

/** The options of an event source that have defaults. */
export const defaultOptions = {
  host: 'localhost',
  port: null,
  username: null,
  password: null,
  sslmode: 'disable',
  sslrootcert: null,
  table: 'changes_cache',
  gap_wait: 60,
  delete_processed: false,
};

/** The kind of the plugin, which opens SQLite files in those folders. */
export function kindWith(sqlite_folders: string[]): EventSourceKind {
  const [kind] =
    plugin.eventSourceKinds?.({ options: { sqlite_folders }, clock: new StandingClock(), log: () => {} }) ?? [];
  return kind as EventSourceKind;
}

/** A connection that runs statements one after another. */
interface Statements {
  run(sql: string): Promise<void>;
  rows(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  close(): Promise<void>;
}

/** A database of a server, with a table of changes whose key is of 64 bits. */
export interface TestTable extends Statements {
  readonly kind: EventSourceKind;
  /** The options of a source that reads the table. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Opens another connection, for transactions beside the first. */
  connect(): Promise<Statements>;
}

/** A kind of databases that tables of changes can be in. */
interface Server {
  readonly name: string;
  /** Whether two transactions can write at once. */
  readonly isConcurrent: boolean;
  readonly isPresent: boolean;
  /** Starts what is needed before the first table. */
  start(): Promise<void>;
  stop(): Promise<void>;
  create(): Promise<TestTable>;
}

const table = `create table changes_cache (inversion bigint primary key, ${columns})`;

const sqlite: Server = {
  name: 'SQLite',
  isConcurrent: false,
  isPresent: true,
  start: async () => {},
  stop: async () => {},
  async create() {
    const folder = temporaryFolder('changes');
    const file = join(folder, 'hooks.sqlite');
    const connect = async (): Promise<Statements> => {
      const database = new Database(file);
      database.pragma('journal_mode = wal');
      return {
        run: async (sql) => void database.exec(sql),
        rows: async (sql) => database.prepare(sql).all() as Record<string, unknown>[],
        close: async () => void database.close(),
      };
    };
    const own = await connect();
    await own.run(table);
    const close = async () => {
      await own.close();
      rmSync(folder, { recursive: true });
    };
    return {
      ...own,
      close,
      connect,
      kind: kindWith([folder]),
      options: { ...defaultOptions, driver: 'sqlite', database: file },
    };
  },
};

const postgres: Server = {
  name: 'PostgreSQL',
  isConcurrent: true,
  isPresent: true,
  start: async () => {},
  stop: async () => {},
  async create() {
    const url = await createDatabase();
    const connect = async (): Promise<Statements> => {
      const client = new pg.Client(url);
      client.on('error', () => undefined);
      await client.connect();
      return {
        run: async (sql) => void (await client.query(sql)),
        rows: async (sql) => (await client.query(sql)).rows,
        close: () => client.end(),
      };
    };
    const own = await connect();
    await own.run(table);
    const close = async () => {
      await own.close();
      await dropDatabase(url);
    };
    const { hostname: host, port, username, password, pathname } = new URL(url);
    const place = { host, port: Number(port), username, password, database: pathname.slice(1) };
    return { ...own, close, connect, kind: kindWith([]), options: { ...defaultOptions, driver: 'pgsql', ...place } };
  },
};

/** The server of this process, while its tests run. */
let mariadb: TestMariadb;

const mysql: Server = {
  name: 'MariaDB (HORARIUM_TEST_MARIADB)',
  isConcurrent: true,
  isPresent: mariadbd !== undefined,
  async start() {
    mariadb = await new TestMariadb().start();
  },
  stop: () => mariadb.close(),
  async create() {
    const database = `test_${randomBytes(4).toString('hex')}`;
    const admin = await mariadb.connect();
    await admin.query(`create database ${database}`);
    await admin.end();
    const connect = async (): Promise<Statements> => {
      const client = await mariadb.connect(database);
      client.on('error', () => undefined);
      return {
        run: async (sql) => void (await client.query(sql)),
        rows: async (sql) => (await client.query(sql))[0] as Record<string, unknown>[],
        close: () => client.end(),
      };
    };
    const own = await connect();
    await own.run(table.replace('externalids text', 'externalids longtext'));
    const place = { host: '127.0.0.1', port: mariadb.port, username: 'root', database };
    return { ...own, connect, kind: kindWith([]), options: { ...defaultOptions, driver: 'mysql', ...place } };
  },
};

export const servers = { sqlite, postgres, mysql };

/** The statement that inserts rows of those keys. */
export function insertKeys(...keys: (number | bigint)[]): string {
  const rows = keys.map((key) => `(${key}, 'r${key}', 'order', 'create', '["o${key}"]')`);
  return `insert into changes_cache (inversion, recordid, evidence, operation, externalids) values ${rows.join(', ')}`;
}

const never = new AbortController().signal;

/** Reads a table as the service does: it goes on from batch to batch, each in a connection of its own. */
export class TableReader {
  cursor: string | null = null;
  /** The warning of the last batch. */
  warning: string | undefined;
  readonly #table: TestTable;
  readonly #options: Readonly<Record<string, unknown>>;

  constructor(table: TestTable, options = {}) {
    this.#table = table;
    this.#options = { ...table.options, ...options };
  }

  open(): Promise<OpenEventSource> {
    return this.#table.kind.open?.(this.#options, never) as Promise<OpenEventSource>;
  }

  /** Reads all batches that there are, acknowledges each, and returns their changes. */
  async changes(limit = 500): Promise<ChangeBatch['changes'][number][]> {
    const source = await this.open();
    const all: ChangeBatch['changes'][number][] = [];
    try {
      for (;;) {
        const { changes, cursor, warning } = await source.read(this.cursor, limit, never);
        this.cursor = cursor;
        this.warning = warning;
        if (changes.length === 0) return all;
        all.push(...changes);
        await source.acknowledge?.(cursor as string, never);
      }
    } finally {
      await source.close();
    }
  }

  async keys(limit = 500): Promise<string[]> {
    return (await this.changes(limit)).map(({ key }) => key);
  }
}
