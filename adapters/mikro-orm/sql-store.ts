import { AsyncLocalStorage } from 'node:async_hooks';
import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  HorariumError,
  type Instant,
  type Store,
  type TableDescription,
  type Tables,
  type TransactionOptions,
} from '@horarium/core';
import { foreignKeys, type Session, TransactionTables } from '@horarium/core/store';
import type { Rules } from './broken-rule.ts';
import type { Schema } from './schema.ts';
import type { Dialect, Runner } from './sql-dialect.ts';
import { SqlTable } from './sql-table.ts';

/** How transactions of one database begin and end. */
export interface Transactions {
  /** Whether one that is begun inside another one would wait for ever. */
  readonly oneAtATime: boolean;
  /** Commits what the work wrote when it has succeeded, undoes it when it fails; resolves when that is done. */
  run<T>(readOnly: boolean | 'once', work: (runner: Runner) => Promise<T>): Promise<T>;
}

interface SqlStoreParts {
  readonly dialect: Dialect;
  readonly schema: Schema;
  readonly tables: readonly TableDescription[];
  readonly transactions: Transactions;
  /** What to throw for an error that came out of a transaction; `again` when the work is to be run once more. */
  judgeAttempt(error: unknown): unknown;
  close(): Promise<void>;
}

const mostAttempts = 15;

/** A store in a database. */
export class SqlStore implements Store {
  readonly kind: string;
  /** Its tables: whether they are up to date, and how to make them so. */
  readonly schema: Schema;
  readonly #parts: SqlStoreParts;
  readonly #rules: Rules;
  readonly #tables: ReadonlySet<string>;
  /** The transaction that the running code belongs to. */
  readonly #around = new AsyncLocalStorage<TransactionTables>();

  constructor(parts: SqlStoreParts) {
    this.kind = parts.dialect.kind;
    this.schema = parts.schema;
    this.#parts = parts;
    this.#rules = { dialect: parts.dialect, foreignKeys: foreignKeys(parts.tables) };
    this.#tables = new Set(parts.tables.map(({ table }) => table));
  }

  async transaction<T>(
    work: (tables: Tables) => Promise<T>,
    { readOnly = false }: TransactionOptions = {},
  ): Promise<T> {
    const { transactions } = this.#parts;
    const alone = transactions.oneAtATime;
    if (alone && this.#around.getStore()?.ended === false)
      throw new Error('A transaction inside a transaction would wait for itself for ever.');
    for (let attempt = 1; ; attempt += 1) {
      let tables: TransactionTables | undefined;
      try {
        const result = await transactions.run(readOnly, (runner) => {
          const begun = new TransactionTables(new SqlSession(this.#rules, this.#tables, runner), { readOnly });
          tables = begun;
          return alone ? this.#around.run(begun, () => begun.run(work)) : begun.run(work);
        });
        tables?.committed();
        return result;
      } catch (error) {
        // What an operation failed with first decides, also when the work has put it in words of its own.
        const cause = tables?.failure ? tables.failure.error : error;
        const taskOutcome = this.#parts.judgeAttempt(cause);
        if (taskOutcome !== 'again') throw taskOutcome === cause ? error : taskOutcome;
        if (attempt === mostAttempts)
          throw new HorariumError('unavailable', 'The database is too busy; try again later.');
      }
      // Ever longer and at random, so that those who stood in each other's way do not meet again.
      await pause(randomInt(1, Math.min(500, 8 * 2 ** attempt)));
    }
  }

  async close(): Promise<void> {
    await this.#parts.close();
  }
}

/** What can be done inside one transaction. */
class SqlSession implements Session {
  readonly #rules: Rules;
  readonly #tables: ReadonlySet<string>;
  readonly #runner: Runner;

  constructor(rules: Rules, tables: ReadonlySet<string>, runner: Runner) {
    this.#rules = rules;
    this.#tables = tables;
    this.#runner = runner;
  }

  now(): Promise<Instant> {
    return this.#rules.dialect.now(this.#runner);
  }

  state(): Promise<string> {
    return this.#runner.state();
  }

  tryLock(name: string): Promise<boolean> {
    return this.#rules.dialect.tryLock(this.#runner, name);
  }

  table(description: TableDescription): SqlTable {
    if (!this.#tables.has(description.table)) throw new Error(`This store keeps no table ${description.table}.`);
    return new SqlTable(this.#rules, this.#runner, description);
  }
}
