import type { Database, Statement } from 'better-sqlite3';
import type { SqlResult } from '../../dialect.ts';

const maxStatements = 500;

/** Prepares each statement of a handle once, because that takes longer than to run it; forgets those not run lately. */
export class PreparedStatements {
  readonly #handle: Database;
  /** By their text, the one that was run last at the end. */
  readonly #statements = new Map<string, Statement>();

  constructor(handle: Database) {
    this.#handle = handle;
  }

  prepare(sql: string): Statement {
    const known = this.#statements.get(sql);
    if (known) this.#statements.delete(sql);
    const statement = known ?? this.#handle.prepare(sql);
    this.#statements.set(sql, statement);
    if (this.#statements.size > maxStatements) {
      const [oldest] = this.#statements.keys();
      this.#statements.delete(oldest as string);
    }
    return statement;
  }

  run(sql: string, parameters: readonly unknown[]): SqlResult {
    const statement = this.prepare(sql);
    if (statement.reader) return { rows: statement.all(parameters) as Record<string, unknown>[], affected: 0 };
    const { changes, lastInsertRowid } = statement.run(parameters);
    return { rows: [], affected: changes, insertedId: Number(lastInsertRowid) };
  }

  clear(): void {
    this.#statements.clear();
  }
}
