import type { TableCopy, TableDescription } from '@horarium/core';
import { type AnyRow, rejectUnknownColumns, storedValue } from '@horarium/core/store';
import type { ColumnValues, SqlContext, SqlTransaction } from '../dialect.ts';
import { constraintViolation } from './constraint-violation.ts';

/** One table inside one open transaction of a SQL database, with the ids of its rows. */
export class SqlTableCopy implements TableCopy {
  readonly #context: SqlContext;
  readonly #transaction: SqlTransaction;
  readonly #table: TableDescription;

  constructor(context: SqlContext, transaction: SqlTransaction, table: TableDescription) {
    this.#context = context;
    this.#transaction = transaction;
    this.#table = table;
  }

  lastId(): Promise<number> {
    return this.#context.dialect.idSequences.last(this.#transaction, this.#table.table);
  }

  async insert(rows: readonly AnyRow[]): Promise<void> {
    if (rows.length === 0) return;
    const complete = rows.map((row) => this.#complete(row));
    try {
      await this.#context.writes.insertWithIds(this.#transaction, this.#table, complete);
    } catch (error) {
      throw (await constraintViolation(this.#context, this.#transaction, this.#table, error, complete)) ?? error;
    }
  }

  async setLastId(id: number): Promise<void> {
    if (id > 0) await this.#context.dialect.idSequences.set(this.#transaction, this.#table.table, id);
  }

  #complete(row: AnyRow): ColumnValues {
    rejectUnknownColumns(this.#table, row);
    return Object.fromEntries(
      this.#table.columns.map((column) => [column.name, storedValue(this.#table.table, column, row[column.name])]),
    );
  }
}
