import { LruCache } from '@horarium/core/store';
import type { Database, Statement } from 'better-sqlite3';
import type { SqlResult } from '../../dialect.ts';

const maxStatements = 500;

/** Prepares each statement of a handle once, because that takes longer than to run it; forgets those not run lately. */
export class PreparedStatements {
  readonly #handle: Database;
  readonly #statements = new LruCache<Statement>(maxStatements);

  constructor(handle: Database) {
    this.#handle = handle;
  }

  prepare(sql: string): Statement {
    return this.#statements.getOrMake(sql, () => this.#handle.prepare(sql));
  }

  run(sql: string, parameters: readonly unknown[]): SqlResult {
    return runStatement(this.prepare(sql), parameters);
  }
}

export function runStatement(statement: Statement, parameters: readonly unknown[]): SqlResult {
  if (statement.reader) return { rows: statement.all(parameters) as Record<string, unknown>[], affected: 0 };
  const { changes, lastInsertRowid } = statement.run(parameters);
  return { rows: [], affected: changes, insertedId: Number(lastInsertRowid) };
}
