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
    const insert = this.#rows.inserting(transaction, table, key);
    for (const row of rows) {
      const insertedRow = await insert(row);
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
    const insert = this.#rows.insertingWithId(transaction, table);
    for (const row of rows) {
      await insert(row);
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
    const updateOne = this.#rows.updating(transaction, table, columns, updates[0]?.revision !== null);
    for (const update of updates) {
      if (await updateOne(update)) updatedIds.push(update.id);
      await yieldToEventLoop();
    }
    return updatedIds;
  }
}
