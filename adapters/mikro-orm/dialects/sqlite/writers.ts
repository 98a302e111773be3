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
  /** Whether its commit waits for the disk. */
  readonly isDurable: boolean;
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
  /** As the parameter of `writersOf`. */
  takeDurable(): boolean;
}

/**
 * Returns what makes the writers of a connection.
 * @param takeDurable says of a transaction that begins whether its commit waits for the disk; it is asked once for each.
 */
export function writersOf(
  connection: SqliteConnection,
  clock: Clock,
  takeDurable: () => boolean,
): () => StoreConnection {
  const writers: Writers = { connection, clock, turn: new Semaphore(1), group: null, takeDurable };
  return () => new SqliteWriter(writers);
}

/**
 * A transaction that writes. Those of a connection take turns, with group commit: a commit waits for the disk however
 * little was written, so writers that queue up meanwhile share it, each in a savepoint that is rolled back alone when it
 * fails. A writer resolves only after the commit, and readers see nothing that is not committed. One that need not wait
 * for the disk commits alone, unless it finds a group open.
 */
class SqliteWriter implements StoreConnection {
  readonly #writers: Writers;
  /** Null while the transaction is not open. */
  #group: Group | null = null;
  /** The error of the first statement that failed. */
  #failure: unknown;

  constructor(writers: Writers) {
    this.#writers = writers;
  }

  async begin(): Promise<void> {
    const { turn } = this.#writers;
    const isDurable = this.#writers.takeDurable();
    await turn.acquire();
    if (this.#writers.group) this.#execute(this.#writers.group, 'savepoint writer');
    else
      try {
        this.#writers.group = await this.#newGroup(isDurable);
      } catch (error) {
        turn.release();
        throw error;
      }
    this.#group = this.#writers.group;
  }

  /** Ends the turn; resolves once the group is committed. */
  async commit(): Promise<void> {
    const group = this.#leave();
    if (group.size > 0) this.#execute(group, 'release writer');
    group.size += 1;
    // Waits one turn of the event loop, in which requests that have arrived queue their writes.
    if (group.isDurable && group.size === 1 && this.#writers.turn.waiting === 0) await setImmediate();
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

  async #newGroup(isDurable: boolean): Promise<Group> {
    const { connection, clock } = this.#writers;
    connection.endIdleRead();
    await connection.mutex.acquire();
    try {
      connection.waitForDisk(isDurable);
      await connection.begin(false);
    } catch (error) {
      connection.mutex.release();
      throw error;
    }
    const committed = Promise.withResolvers<void>();
    // Nothing waits for it where the only writer has rolled back.
    committed.promise.catch(() => undefined);
    return { since: clock.elapsed(), isDurable, size: 0, committed };
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
      connection.prepare('commit').run();
      group.committed.resolve();
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
