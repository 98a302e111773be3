import { setImmediate } from 'node:timers/promises';
import { type Clock, type Instant, type Milliseconds, Semaphore } from '@horarium/core';
import type { SqlResult } from '../../dialect.ts';
import type { StoreConnection } from '../../orm/store-driver.ts';
import type { SqliteConnection } from './connection.ts';

/** Limits a group commit: how many writers share one, and how long the first of them waits for the others. */
const maxGroupSize = 64;
const maxGroupWait: Milliseconds = 10;

/** Writers that share a commit. */
interface Group {
  readonly since: Milliseconds;
  /** Whether the disk must have it before its writers resolve. */
  isDurable: boolean;
  /** How many of them have finished. */
  size: number;
  readonly committed: PromiseWithResolvers<void>;
}

/** What the writers of one connection share. */
interface Writers {
  readonly connection: SqliteConnection;
  readonly clock: Clock;
  /** Held while a transaction writes, so that no other one does. */
  readonly turn: Semaphore;
  /** Those of the open transaction. */
  group: Group | null;
}

/** Returns what makes the writers of a connection. */
export function writerFactory(connection: SqliteConnection, clock: Clock): () => StoreConnection {
  const writers: Writers = { connection, clock, turn: new Semaphore(1), group: null };
  return () => new SqliteWriter(writers);
}

/**
 * A transaction that writes. Those of a connection take turns, with group commit: a commit writes each page that it has
 * changed, however little, so writers that queue up share it, each in a savepoint that is rolled back alone when it
 * fails. The next group begins while the disk writes this one. A writer resolves only once the disk has its commit, and
 * readers see nothing that is not committed.
 */
class SqliteWriter implements StoreConnection {
  readonly #writers: Writers;
  /** Null while the transaction is not open. */
  #group: Group | null = null;
  #isDurable = true;
  /** The error of the first statement that failed. */
  #failure: unknown;

  constructor(writers: Writers) {
    this.#writers = writers;
  }

  async begin(): Promise<void> {
    const { turn } = this.#writers;
    await turn.acquire();
    if (this.#writers.group) this.#execute(this.#writers.group, 'savepoint writer');
    else
      try {
        this.#writers.group = await this.#newGroup();
      } catch (error) {
        turn.release();
        throw error;
      }
    this.#group = this.#writers.group;
  }

  commitAsynchronously(): void {
    this.#isDurable = false;
  }

  /** Ends the turn; resolves once the group is committed. */
  async commit(): Promise<void> {
    const group = this.#leave();
    if (group.size > 0) this.#execute(group, 'release writer');
    group.size += 1;
    group.isDurable ||= this.#isDurable;
    // Waits one turn of the event loop, in which requests that have arrived queue their writes.
    if (this.#isDurable && group.size === 1 && this.#writers.turn.waiting === 0) await setImmediate();
    this.#passTurn(group);
    return group.committed.promise;
  }

  async rollback(): Promise<void> {
    if (!this.#group) return;
    const group = this.#leave();
    // After some errors SQLite has rolled back by itself, and with it those that have finished.
    if (group.size === 0 || !this.#writers.connection.inTransaction)
      return this.#end(group, this.#failure ?? new Error('The transaction was rolled back.'));
    try {
      this.#execute(group, 'rollback to writer');
      this.#execute(group, 'release writer');
      this.#passTurn(group);
    } catch {}
  }

  release(): void {}

  run(sql: string, parameters: readonly unknown[]): SqlResult | Promise<SqlResult> {
    const { connection } = this.#writers;
    if (!this.#group) return connection.runAlone(sql, parameters);
    try {
      return connection.run(sql, parameters);
    } catch (error) {
      this.#failure ??= error;
      throw error;
    }
  }

  settings(names: readonly string[]) {
    return this.#writers.connection.settings(names);
  }

  now(): Promise<Instant> {
    return this.#writers.connection.now();
  }

  tryLock(): Promise<boolean> {
    return this.#writers.connection.tryLock();
  }

  async #newGroup(): Promise<Group> {
    const { connection, clock } = this.#writers;
    connection.endIdleRead();
    await connection.mutex.acquire();
    try {
      await connection.begin(false);
    } catch (error) {
      connection.mutex.release();
      throw error;
    }
    const committed = Promise.withResolvers<void>();
    // Nothing waits for it where the only writer has rolled back.
    committed.promise.catch(() => undefined);
    return { since: clock.elapsed(), isDurable: false, size: 0, committed };
  }

  #leave(): Group {
    const group = this.#group as Group;
    this.#group = null;
    return group;
  }

  /** Passes the turn to the next writer of the group, or commits. */
  #passTurn(group: Group): void {
    const { clock, turn } = this.#writers;
    const mayGrow = group.isDurable && group.size < maxGroupSize && clock.elapsed() - group.since < maxGroupWait;
    if (mayGrow && turn.waiting > 0) turn.release();
    else this.#end(group);
  }

  #end(group: Group, failure?: unknown): void {
    const { connection, turn } = this.#writers;
    this.#writers.group = null;
    try {
      if (failure !== undefined) throw failure;
      const flushed = connection.commit({ durable: group.isDurable });
      // A promise that resolves to another one ends as that does.
      group.committed.resolve(flushed ?? undefined);
    } catch (error) {
      connection.rollback();
      group.committed.reject(error);
    } finally {
      connection.mutex.release();
      turn.release();
    }
  }

  /** Executes a statement about savepoints; where it fails, the whole group does. */
  #execute(group: Group, sql: string): void {
    try {
      this.#writers.connection.prepare(sql).run();
    } catch (error) {
      this.#end(group, error);
      throw error;
    }
  }
}
