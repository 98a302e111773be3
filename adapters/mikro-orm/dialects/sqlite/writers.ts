import { setImmediate } from 'node:timers/promises';
import { type Clock, type Instant, type Milliseconds, Semaphore } from '@horarium/core';
import type { SqlResult } from '../../dialect.ts';
import type { StoreConnection } from '../../orm/store-driver.ts';
import type { SqliteConnection } from './connection.ts';

/** Writers that share a commit. */
interface Group {
  readonly since: Milliseconds;
  /** How many of them have finished. */
  size: number;
  readonly committed: PromiseWithResolvers<void>;
}

/** Limits a group commit: how many writers share one, and how long the first of them waits for the others. */
const maxGroupSize = 64;
const maxGroupWait: Milliseconds = 10;

/**
 * Lets the writers of one connection take turns, with group commit: a commit waits for the disk however little was
 * written, so writers that queue up meanwhile share it, each in a savepoint that is rolled back alone when it fails. A
 * writer resolves only after the commit, and readers see nothing that is not committed.
 */
export class SqliteWriters {
  readonly connection: SqliteConnection;
  readonly #clock: Clock;
  /** The turn of the one writer that writes. */
  readonly #turn = new Semaphore(1);
  /** The writers of the open transaction. */
  #group: Group | null = null;

  constructor(connection: SqliteConnection, clock: Clock) {
    this.connection = connection;
    this.#clock = clock;
  }

  /** Begins a transaction, or a savepoint in that of the writers before. */
  async begin(): Promise<void> {
    await this.#turn.acquire();
    if (this.#group) return this.#execute(this.#group, 'savepoint writer');
    try {
      this.#group = await this.#newGroup();
    } catch (error) {
      this.#turn.release();
      throw error;
    }
  }

  /** Ends the turn of a writer; resolves once its group is committed. */
  async commit(): Promise<void> {
    const group = this.#group as Group;
    if (group.size > 0) this.#execute(group, 'release writer');
    group.size += 1;
    // Waits one turn of the event loop, in which requests that have arrived queue their writes.
    if (group.size === 1 && this.#turn.waiting === 0) await setImmediate();
    this.#passOn(group);
    return group.committed.promise;
  }

  /** Undoes what a writer has written. @param cause fails the whole group where SQLite has rolled back by itself. */
  rollback(cause: unknown): void {
    const group = this.#group as Group;
    if (group.size === 0 || !this.connection.inTransaction) {
      this.#end(group, cause);
      return;
    }
    try {
      this.#execute(group, 'rollback to writer');
      this.#execute(group, 'release writer');
      this.#passOn(group);
    } catch {}
  }

  async #newGroup(): Promise<Group> {
    await this.connection.mutex.acquire();
    try {
      await this.connection.begin(false);
    } catch (error) {
      this.connection.mutex.release();
      throw error;
    }
    const committed = Promise.withResolvers<void>();
    // Nobody waits for it where the only writer has rolled back.
    committed.promise.catch(() => undefined);
    return { since: this.#clock.elapsed(), size: 0, committed };
  }

  /** Passes the turn to the next writer of the group, or commits. */
  #passOn(group: Group): void {
    const mayGrow = group.size < maxGroupSize && this.#clock.elapsed() - group.since < maxGroupWait;
    if (mayGrow && this.#turn.waiting > 0) this.#turn.release();
    else this.#end(group);
  }

  #end(group: Group, failure?: unknown): void {
    this.#group = null;
    try {
      if (failure !== undefined) throw failure;
      this.connection.prepare('commit').run();
      group.committed.resolve();
    } catch (error) {
      this.connection.rollback();
      group.committed.reject(error);
    } finally {
      this.connection.mutex.release();
      this.#turn.release();
    }
  }

  /** Executes a statement about savepoints; where it fails, the whole group does. */
  #execute(group: Group, sql: string): void {
    try {
      this.connection.prepare(sql).run();
    } catch (error) {
      this.#end(group, error);
      throw error;
    }
  }
}

/** One transaction that writes. */
export class SqliteWriter implements StoreConnection {
  readonly #writers: SqliteWriters;
  #isOpen = false;
  /** The error of the first statement that failed. */
  #failure: unknown;

  constructor(writers: SqliteWriters) {
    this.#writers = writers;
  }

  async begin(): Promise<void> {
    await this.#writers.begin();
    this.#isOpen = true;
  }

  commit(): Promise<void> {
    this.#isOpen = false;
    return this.#writers.commit();
  }

  async rollback(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#writers.rollback(this.#failure ?? new Error('The transaction was rolled back.'));
  }

  release(): void {}

  run(sql: string, parameters: readonly unknown[]): SqlResult | Promise<SqlResult> {
    if (!this.#isOpen) return this.#writers.connection.runAlone(sql, parameters);
    try {
      return this.#writers.connection.run(sql, parameters);
    } catch (error) {
      this.#failure ??= error;
      throw error;
    }
  }

  now(): Promise<Instant> {
    return this.#writers.connection.now();
  }

  tryLock(): Promise<boolean> {
    return this.#writers.connection.tryLock();
  }
}
