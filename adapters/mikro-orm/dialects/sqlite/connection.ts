import { randomInt } from 'node:crypto';
import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { HorariumError } from '@horarium/core';
import Database, { type Statement } from 'better-sqlite3';
import { type DatabaseConnection, type Driver, SqliteDialect, SqliteDriver, type TransactionSettings } from 'kysely';
import type { Answer, Runner } from '../../sql-dialect.ts';
import { Turns } from '../../turns.ts';

interface SqliteSettings {
  /** The path of the file, or `:memory:`. */
  readonly file: string;
  /** `full`: what was committed survives a power cut; `normal` is faster and may lose the last moments. */
  readonly synchronous: 'full' | 'normal';
  /** How long to wait while another process holds the file, in milliseconds. */
  readonly patience: number;
}

const mostStatements = 500;
/**
 * How many pages of 4 KiB the log may have before what they say is written to the file itself. Pages that are written
 * again and again are written there once; the usual 1,000 made commits take twice as long on the whole.
 */
const mostPages = 4000;

/** One open SQLite file: its handle with prepared statements kept, and how its transactions begin and end. */
export class SqliteConnection implements Runner {
  readonly #handle: Database.Database;
  readonly #statements = new Map<string, Statement>();
  readonly #patience: number;
  /** Null for one in memory. */
  readonly #file: OpenFile | null;
  /** Whether the file was seen at its place since this process turned to what it does now. */
  #seen = false;
  readonly #forget = () => {
    this.#seen = false;
  };
  /** How often somebody may have written through this connection. */
  #written = 0;
  /** Whose transaction it is. */
  readonly turns = new Turns();

  constructor(handle: Database.Database, patience: number, file: OpenFile | null) {
    this.#handle = handle;
    this.#patience = patience;
    this.#file = file;
  }

  /** Opens the file; makes it, readable by its owner only, and its folder where they are missing. */
  static async open({ file, synchronous, patience }: SqliteSettings): Promise<SqliteConnection> {
    if (file !== ':memory:') makePrivate(file);
    // The driver's own waiting would stop the whole process, so it may wait for moments only.
    const handle = new Database(file, { timeout: 20 });
    const open = file === ':memory:' ? null : { path: file, ...identity(file) };
    const connection = new SqliteConnection(handle, patience, open);
    try {
      await whenFree(patience, () => handle.pragma('journal_mode = WAL'));
      handle.pragma(`synchronous = ${synchronous}`);
      handle.pragma(`wal_autocheckpoint = ${mostPages}`);
      handle.pragma('foreign_keys = ON');
      return connection;
    } catch (error) {
      handle.close();
      throw error;
    }
  }

  /**
   * A transaction that writes takes the write lock when it begins. SQLite's plain `begin` takes it at the first write,
   * and of two processes that have both read by then one must fail.
   */
  async begin(readOnly: boolean): Promise<void> {
    await whenFree(this.#patience, () => this.#begin(readOnly));
  }

  /** The same without waiting; false where that would be needed, or something is wrong: `begin` says what. */
  beganAtOnce(readOnly: boolean): boolean {
    try {
      this.#begin(readOnly);
      return true;
    } catch {
      return false;
    }
  }

  #begin(readOnly: boolean): void {
    if (!readOnly || !this.#seen) this.#refuseIfGone();
    if (!readOnly) this.noteWriting();
    this.prepare(readOnly ? 'begin' : 'begin immediate').run();
  }

  get inTransaction(): boolean {
    return this.#handle.inTransaction;
  }

  /** Never fails: SQLite has rolled back by itself after some errors, such as a full disk. */
  rollback(): void {
    if (this.inTransaction) this.prepare('rollback').run();
  }

  /**
   * What is written into a file that has no name any more is lost when the process ends.
   * @throws HorariumError `unavailable` when the file was moved, deleted or replaced since it was opened.
   */
  #refuseIfGone(): void {
    if (this.#file === null) return;
    const { path, dev, ino } = this.#file;
    const found = identity(path);
    if (found.dev === dev && found.ino === ino) {
      this.#seen = true;
      setImmediate(this.#forget);
      return;
    }
    throw new HorariumError(
      'unavailable',
      `The SQLite file ${path} cannot be used: it was moved, deleted or replaced while it was open.`,
    );
  }

  run(sql: string, parameters: readonly unknown[]): Answer {
    const statement = this.prepare(sql);
    if (statement.reader) return { rows: statement.all(parameters) as Record<string, unknown>[], affected: 0 };
    return { rows: [], affected: statement.run(parameters).changes };
  }

  /** SQLite counts what others have committed, but nothing of what this connection has. */
  async state(): Promise<string> {
    const { data_version } = this.prepare('pragma data_version').get() as { data_version: number };
    return `${this.#written}.${data_version}`;
  }

  /** The statement, compiled once. */
  prepare(sql: string): Statement {
    let statement = this.#statements.get(sql);
    if (!statement) {
      if (this.#statements.size >= mostStatements) this.#statements.clear();
      statement = this.#handle.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  /** To be called when something outside of `begin` may write. */
  noteWriting(): void {
    this.#written += 1;
  }

  /** Switches the checks of references; has no effect inside a transaction. */
  checkReferences(on: boolean): void {
    this.#handle.pragma(`foreign_keys = ${on ? 'ON' : 'OFF'}`);
  }

  close(): void {
    this.#statements.clear();
    this.#handle.close();
  }
}

interface OpenFile {
  readonly path: string;
  readonly dev: number | undefined;
  readonly ino: number | undefined;
}

function identity(file: string): Omit<OpenFile, 'path'> {
  const found = statSync(file, { throwIfNoEntry: false });
  return { dev: found?.dev, ino: found?.ino };
}

function makePrivate(file: string): void {
  mkdirSync(dirname(resolve(file)), { recursive: true, mode: 0o700 });
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
}

/**
 * Tries again in short steps while another process holds the file, without stopping this one.
 * @throws HorariumError `unavailable` when it is held for longer than that.
 */
async function whenFree<T>(patience: number, work: () => T): Promise<T> {
  const start = performance.now();
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (performance.now() - start > patience)
        throw new HorariumError('unavailable', 'The SQLite file is held by another process.');
      await pause(randomInt(1, 4));
    }
  }
}

/** Whether another process held the file: the same may succeed a moment later. */
export function isBusy(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^SQLITE_(BUSY|LOCKED)/.test(code);
}

/** What migrations are run through takes its turns with the store's own transactions. */
class ImmediateDriver extends SqliteDriver {
  readonly #connection: SqliteConnection;

  constructor(connection: SqliteConnection) {
    super({ database: asKyselyDatabase(connection) });
    this.#connection = connection;
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    await this.#connection.turns.take();
    this.#connection.noteWriting();
    return super.acquireConnection();
  }

  override async releaseConnection(): Promise<void> {
    this.#connection.turns.give();
  }

  override async beginTransaction(_: DatabaseConnection, { accessMode }: TransactionSettings = {}): Promise<void> {
    await this.#connection.begin(accessMode === 'read only');
  }

  override async rollbackTransaction(): Promise<void> {
    this.#connection.rollback();
  }
}

export class ImmediateDialect extends SqliteDialect {
  readonly #connection: SqliteConnection;

  constructor(connection: SqliteConnection) {
    super({ database: asKyselyDatabase(connection) });
    this.#connection = connection;
  }

  override createDriver(): Driver {
    return new ImmediateDriver(this.#connection);
  }
}

function asKyselyDatabase(connection: SqliteConnection) {
  return {
    prepare: (sql: string) => connection.prepare(sql) as never,
    close: () => connection.close(),
  };
}
