import { randomInt } from 'node:crypto';
import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Clock, HorariumError, type Instant, Semaphore, StoreUnavailable } from '@horarium/core';
import type { StoredSetting } from '@horarium/core/store';
import Database, { type Statement } from 'better-sqlite3';
import type { SqlResult, SqlTransaction } from '../../dialect.ts';
import { isBusy } from './errors.ts';
import { PreparedStatements, runStatement } from './prepared-statements.ts';
import { CheckpointThread } from './wal/checkpoint-thread.ts';
import { WalFlush } from './wal/wal-flush.ts';

interface SqliteSettings {
  /** The path of the file, or `:memory:`. */
  readonly file: string;
  /** With `full` every commit survives a power cut; `normal` is faster and may lose the last commits. */
  readonly synchronous: 'full' | 'normal';
  /** The time that a transaction waits while another process locks the file, in milliseconds. */
  readonly busyTimeout: number;
  /** The clock of the store. */
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * The number of 4 KiB pages in the write-ahead log after which SQLite makes a checkpoint within a commit. Each copies a
 * page that is written again and again into the file once more; with the default of 1,000 commits took twice as long
 * overall. Deletions in the background call `checkpoint` before that, which does not stop the thread.
 */
const autocheckpointPages = 12_000;

/** The size in bytes that the write-ahead log may keep, which grows while a long reader, such as a backup, needs its snapshot. */
const keptLog = 64 * 1024 * 1024;
/** How much of it is cut off at once: the file system takes half a second for 2 GB, in which nothing is committed. */
const cutLog = 32 * 1024 * 1024;

/** What `pragma auto_vacuum` tells of a file whose free pages are released on request. */
const incrementalVacuum = 2;
/** How many pages are released at once: each may be moved, and other transactions wait. */
const releasedPages = 200;
/** Free pages that stay for new rows: 4 MiB, or a twentieth of a larger file. */
const keptFreePages = 1024;
const keptFreeShare = 0.05;

/** One open SQLite file: begins and ends transactions, and executes their statements. */
export class SqliteConnection implements SqlTransaction {
  readonly #handle: Database.Database;
  readonly #statements: PreparedStatements;
  readonly #busyTimeout: number;
  readonly #clock: Pick<Clock, 'now'>;
  /** Null for a database in memory. */
  readonly #file: OpenFile | null;
  readonly #checkpoints: CheckpointThread | null;
  /** Null where no commit waits for the disk. */
  readonly #wal: WalFlush | null;
  /** Whether the open transaction has written. */
  #hasWritten = false;
  /**
   * Whether the file was found at its path within this turn of the event loop, so that it need not be looked up again.
   */
  #inPlace = false;
  /** Whether something is committed that no flush has begun for. */
  #isUnflushed = false;
  readonly #expire = () => {
    this.#inPlace = false;
  };
  /** Held while a transaction is open, so that no other one begins. */
  readonly mutex = new Semaphore(1);
  /** Ends an open transaction that only reads and is kept for further readers, so that a writer does not wait for it. */
  endIdleRead: () => void = () => undefined;

  constructor(handle: Database.Database, { file, synchronous, busyTimeout, clock }: SqliteSettings) {
    this.#handle = handle;
    this.#statements = new PreparedStatements(handle);
    this.#busyTimeout = busyTimeout;
    this.#clock = clock;
    this.#file = file === ':memory:' ? null : { path: file, ...identity(file) };
    this.#checkpoints = this.#file && new CheckpointThread(file);
    this.#wal = this.#file && synchronous === 'full' ? new WalFlush(file) : null;
  }

  /** Opens the file; creates it, readable by its owner only, and its folder where they do not exist. */
  static async open({ file, synchronous, busyTimeout, clock }: SqliteSettings): Promise<SqliteConnection> {
    if (file !== ':memory:') createPrivateFile(file);
    // The driver's own busy timeout blocks the event loop, so it is short.
    const handle = new Database(file, { timeout: 20 });
    const connection = new SqliteConnection(handle, { file, synchronous, busyTimeout, clock });
    try {
      // Incremental vacuuming releases the pages of deleted rows without rebuilding the file. Only a new file takes the
      // mode; on others the statement would write for nothing, and fail on a full disk.
      await whenUnlocked(busyTimeout, () => {
        if (handle.pragma('page_count', { simple: true }) === 0) handle.pragma('auto_vacuum = INCREMENTAL');
      });
      await whenUnlocked(busyTimeout, () => handle.pragma('journal_mode = WAL'));
      // SQLite waits for the disk at checkpoints only; this connection does so after a commit.
      handle.pragma('synchronous = normal');
      handle.pragma(`wal_autocheckpoint = ${autocheckpointPages}`);
      handle.pragma('foreign_keys = ON');
      // The journal of a statement, which holds the pages that it changes, is a temporary file otherwise.
      handle.pragma('temp_store = MEMORY');
      return connection;
    } catch (error) {
      handle.close();
      throw error;
    }
  }

  /**
   * Begins a transaction; one that writes takes the write lock at once. SQLite's plain `begin` takes it at the first
   * write, and of two processes that have both read by then one must fail.
   */
  async begin(readOnly: boolean): Promise<void> {
    await whenUnlocked(this.#busyTimeout, () => this.#begin(readOnly));
  }

  /** Begins without waiting; false where `begin` would wait or throw. */
  tryBegin(readOnly: boolean): boolean {
    try {
      this.#begin(readOnly);
      return true;
    } catch {
      return false;
    }
  }

  #begin(readOnly: boolean): void {
    this.#wal?.assertWorking();
    if (!readOnly || !this.#inPlace) this.#assertFileInPlace();
    this.prepare(readOnly ? 'begin' : 'begin immediate').run();
    this.#hasWritten = false;
  }

  /**
   * Commits a transaction that writes.
   * @returns what resolves once the disk has it, and what it has seen; null where that need not be waited for.
   */
  commit({ durable }: { readonly durable: boolean }): Promise<void> | null {
    this.prepare('commit').run();
    if (!this.#wal) return null;
    this.#isUnflushed ||= this.#hasWritten;
    if (!durable) return null;
    if (!this.#isUnflushed) return this.#wal.pending;
    this.#isUnflushed = false;
    return this.#wal.flush();
  }

  /** Resolves once the flushes that were begun have ended; null = they have. */
  get flushing(): Promise<void> | null {
    return this.#wal?.pending ?? null;
  }

  get inTransaction(): boolean {
    return this.#handle.inTransaction;
  }

  /** Rolls back, and never throws: after some errors, such as a full disk, SQLite has rolled back by itself. */
  rollback(): void {
    if (this.inTransaction) this.prepare('rollback').run();
  }

  /**
   * Checks that the file is still at its path, because what is written into an unlinked file is lost when the process
   * ends.
   * @throws HorariumError `unavailable` when the file was moved, deleted or replaced since it was opened.
   */
  #assertFileInPlace(): void {
    if (this.#file === null) return;
    const { path, dev, ino } = this.#file;
    const current = identity(path);
    if (current.dev === dev && current.ino === ino) {
      this.#inPlace = true;
      setImmediate(this.#expire);
      return;
    }
    throw new StoreUnavailable(
      `The SQLite file ${path} cannot be used: it was moved, deleted or replaced while it was open.`,
    );
  }

  run(sql: string, parameters: readonly unknown[]): SqlResult {
    const statement = this.prepare(sql);
    const result = runStatement(statement, parameters);
    // One with `returning` has returned what it wrote.
    if (!statement.readonly && (!statement.reader || result.rows.length > 0)) this.#hasWritten = true;
    return result;
  }

  async now(): Promise<Instant> {
    return this.#clock.now();
  }

  /** Always succeeds, because a transaction that writes locks the whole file. */
  async tryLock(): Promise<boolean> {
    return true;
  }

  /** Reads settings by a statement that names each, because SQLite takes longer to unpack a list than to find them. */
  settings(names: readonly string[]): readonly StoredSetting[] {
    const slots = names.map(() => '?').join();
    const { rows } = this.run(`select "name", "value" from horarium_setting where "name" in (${slots})`, names);
    return rows as unknown as StoredSetting[];
  }

  prepare(sql: string): Statement {
    return this.#statements.prepare(sql);
  }

  /** Runs a statement between two transactions, such as one that reads the schema or switches foreign keys off. */
  async runAlone(sql: string, parameters: readonly unknown[]): Promise<SqlResult> {
    // Prepared each time: SQLite switches foreign keys when the statement is prepared, not when it runs.
    const { readonly, result } = await this.#alone(() => {
      const statement = this.#handle.prepare(sql);
      return { readonly: statement.readonly, result: runStatement(statement, parameters) };
    });
    if (!readonly) await this.#wal?.flush();
    return result;
  }

  /** Copies the pages of the write-ahead log into the file, as far as no other process reads older ones. */
  async checkpoint(): Promise<void> {
    this.endIdleRead();
    this.#assertFileInPlace();
    await this.#checkpoints?.checkpoint();
  }

  /** Does what no transaction can, between two of them. */
  async #alone<T>(work: () => T): Promise<T> {
    this.endIdleRead();
    await this.mutex.acquire();
    try {
      return await whenUnlocked(this.#busyTimeout, () => {
        this.#assertFileInPlace();
        return work();
      });
    } finally {
      this.mutex.release();
    }
  }

  /** Gives a part of the file and of its write-ahead log back to the file system. @returns whether there is more. */
  async releaseSpace(): Promise<boolean> {
    return (await this.#cutLog()) || (await this.#releasePages());
  }

  /** Cuts off a part of a log that has grown, where no reader needs it. @returns whether it did. */
  async #cutLog(): Promise<boolean> {
    if (this.#file === null) return false;
    const log = `${this.#file.path}-wal`;
    const size = () => statSync(log, { throwIfNoEntry: false })?.size ?? 0;
    const before = size();
    if (before <= keptLog) return false;
    await this.checkpoint();
    await this.#alone(() => {
      // Copies what was written meanwhile.
      this.#handle.pragma('wal_checkpoint(PASSIVE)');
      // SQLite cuts the log when a commit begins it from its start again, as this one does, which changes nothing.
      this.#handle.pragma(`journal_size_limit = ${Math.max(keptLog, before - cutLog)}`);
      this.#handle.pragma(`user_version = ${this.#handle.pragma('user_version', { simple: true })}`);
      this.#handle.pragma('journal_size_limit = -1');
    });
    return size() < before;
  }

  /**
   * Gives some free pages at the end of the file back to the file system, unless so few are free that new rows fill them
   * soon. A file that was made without incremental vacuuming keeps them. @returns whether there are more.
   */
  async #releasePages(): Promise<boolean> {
    const pragma = (name: string) => Number(this.#handle.pragma(name, { simple: true }));
    const excess = () => pragma('freelist_count') - Math.max(keptFreePages, pragma('page_count') * keptFreeShare);
    if (pragma('auto_vacuum') !== incrementalVacuum || excess() <= 0) return false;
    const pages = Math.min(releasedPages, Math.ceil(excess()));
    await this.#alone(() => this.#handle.pragma(`incremental_vacuum(${pages})`));
    return excess() > 0;
  }

  /** Closes the file, and ends the shared read first: SQLite keeps a file open as long as a transaction is. */
  async close(): Promise<void> {
    await Promise.all([this.#checkpoints?.close(), this.#wal?.close()]);
    this.rollback();
    this.#handle.close();
  }
}

interface OpenFile {
  readonly path: string;
  readonly dev: number | undefined;
  readonly ino: number | undefined;
}

function identity(file: string): Omit<OpenFile, 'path'> {
  const stats = statSync(file, { throwIfNoEntry: false });
  return { dev: stats?.dev, ino: stats?.ino };
}

function createPrivateFile(file: string): void {
  mkdirSync(dirname(resolve(file)), { recursive: true, mode: 0o700 });
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
}

/**
 * Waits while another process locks the file; SQLite itself would block the event loop meanwhile.
 * @throws HorariumError `unavailable` when the file stays locked for longer than `busyTimeout`.
 */
async function whenUnlocked<T>(busyTimeout: number, work: () => T): Promise<T> {
  const start = performance.now();
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (performance.now() - start > busyTimeout)
        throw new HorariumError('unavailable', 'The SQLite file is locked by another process.');
      await pause(randomInt(1, 4));
    }
  }
}
