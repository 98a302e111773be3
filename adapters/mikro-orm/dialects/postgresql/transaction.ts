import type { Instant } from '@horarium/core';
import type { StoredSetting } from '@horarium/core/store';
import type pg from 'pg';
import type { SqlResult, SqlTransaction } from '../../dialect.ts';
import type { StoreConnection } from '../../orm/store-driver.ts';
import { codeOf } from './errors.ts';

/** What a transaction asks the server besides its rows, whichever driver runs its statements. */
export abstract class ServerFunctions implements SqlTransaction {
  /** The time by the clock of the database, once a statement has returned it. */
  #time: Instant | undefined;
  #reading: Promise<SqlResult> | undefined;

  abstract run(sql: string, parameters: readonly unknown[]): Promise<SqlResult>;

  /** Reads the time too: nearly every transaction needs both. */
  async settings(names: readonly string[]): Promise<readonly StoredSetting[]> {
    const sql = `select "name", "value", ${clock} from horarium_setting where "name" = any($1::text[])`;
    this.#reading = this.run(sql, [names]);
    const { rows } = await this.#reading;
    if (rows.length > 0) this.#time = timeOf(rows[0]);
    return rows as unknown as StoredSetting[];
  }

  async now(): Promise<Instant> {
    await this.#reading;
    this.#time ??= timeOf((await this.run(`select ${clock}`, [])).rows[0]);
    return this.#time;
  }

  async tryLock(name: string): Promise<boolean> {
    const sql = 'select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as "got"';
    return (await this.run(sql, [`horarium:${name}`])).rows[0]?.['got'] === true;
  }
}

// SQLSTATE of in_failed_sql_transaction: an earlier statement of the transaction has failed.
const aborted = '25P02';

/** Selects the time of the database's clock: as a number, because drivers return times in different forms. */
export const clock = 'extract(epoch from clock_timestamp()) * 1000 as "now"';

function timeOf(row: Record<string, unknown> | undefined): Instant {
  return Math.floor(Number(row?.['now']));
}

// Read committed, whatever is the default there: writers lock what they decide by, and then read what was committed.
// Repeatable read gives readers one snapshot, as in the stores that run one transaction at a time.
const isolations = { write: 'read committed', read: 'repeatable read read only' } as const;

/** Executes the statements of one transaction on a connection of a pool; its `begin` travels with the first of them. */
export class PostgresTransaction extends ServerFunctions implements StoreConnection {
  readonly #client: pg.PoolClient;
  #begin: string | null = null;
  #beginning: Promise<void> | undefined;
  #begun = false;
  #needsBegin = false;
  /** The error of the statement that makes later ones fail. */
  #failure: unknown;

  constructor(client: pg.PoolClient) {
    super();
    this.#client = client;
  }

  async begin(use: keyof typeof isolations = 'write'): Promise<void> {
    this.#begin = `start transaction isolation level ${isolations[use]}`;
  }

  override async run(sql: string, parameters: readonly unknown[]): Promise<SqlResult> {
    if (this.#begin !== null)
      this.#beginning ??= this.#client.query(this.#begin).then(() => {
        this.#begun = true;
      });
    // A statement that may write waits until `begin` has succeeded, because the server runs a pipelined statement even
    // when `begin` has failed.
    this.#needsBegin ||= !sql.startsWith('select ');
    if (this.#needsBegin && !this.#begun) await this.#beginning;
    const result = this.#client.query(sql, [...parameters]);
    // Noted in the order of the server's answers: callers of pipelined statements may learn of later ones first.
    result.catch((error) => {
      if (codeOf(error) !== aborted) this.#failure = error;
    });
    try {
      const [{ rows, rowCount }] = await Promise.all([result, this.#beginning]);
      return { rows, affected: rowCount ?? 0 };
    } catch (error) {
      throw codeOf(error) === aborted ? (this.#failure ?? error) : error;
    }
  }

  async commit(): Promise<void> {
    const command = await this.#end('commit');
    // PostgreSQL answers a commit with ROLLBACK when a statement of the transaction has failed.
    if (command === 'ROLLBACK') throw new Error('PostgreSQL rolled back a transaction that was to be committed.');
  }

  /** Rolls back: a transaction that cannot be rolled back has lost its connection, which ends it as well. */
  async rollback(): Promise<void> {
    await this.#end('rollback').catch(() => undefined);
  }

  release(): void {
    this.#client.release();
  }

  async #end(command: 'commit' | 'rollback'): Promise<string | undefined> {
    const beginning = this.#beginning;
    this.#begin = null;
    this.#beginning = undefined;
    return beginning && (await this.#client.query(command)).command;
  }
}
