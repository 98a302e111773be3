import type { FieldDescription, TableDescription } from '@horarium/core';
import { yieldToEventLoop } from '@horarium/core';
import type { BulkWrites, ColumnValues, InsertedRow, RowUpdate, SqlTransaction } from '../../dialect.ts';
import { RowStatements } from '../../statements/row-statements.ts';
import type { StatementCache } from '../../statements/statement.ts';
import { sqliteCodec } from './value-codec.ts';

/**
 * Writes many rows by one prepared statement that runs once for each: without round trips that measured faster (5 ms for
 * 1,000 rows) than one statement over a JSON list or many VALUES (9 ms).
 */
export class SqliteBulkWrites implements BulkWrites {
  readonly #rows: RowStatements;

  constructor(statements: StatementCache) {
    // SQLite journals each page that a statement with `returning` touches, one for each index.
    this.#rows = new RowStatements(statements, sqliteCodec, { returning: false });
  }

  async insert(
    transaction: SqlTransaction,
    table: TableDescription,
    rows: readonly ColumnValues[],
    key?: readonly string[],
  ): Promise<InsertedRow[]> {
    const inserted: InsertedRow[] = [];
    for (const row of rows) {
      const insertedRow = await this.#rows.insert(transaction, table, row, key);
      if (insertedRow) inserted.push(insertedRow);
      await yieldToEventLoop();
    }
    return inserted;
  }

  async insertWithIds(
    transaction: SqlTransaction,
    table: TableDescription,
    rows: readonly ColumnValues[],
  ): Promise<void> {
    for (const row of rows) {
      await this.#rows.insertWithId(transaction, table, row);
      await yieldToEventLoop();
    }
  }

  async update(
    transaction: SqlTransaction,
    table: TableDescription,
    columns: readonly FieldDescription[],
    updates: readonly RowUpdate[],
  ): Promise<number[]> {
    const updatedIds: number[] = [];
    for (const update of updates) {
      if (await this.#rows.update(transaction, table, columns, update)) updatedIds.push(update.id);
      await yieldToEventLoop();
    }
    return updatedIds;
  }
}
