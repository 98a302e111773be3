import type { Table } from './store.ts';
import type { AnyRow, TableDescription } from './table.ts';

/**
 * Casts a table to the row type of its description: stores create untyped tables, and decorators wrap untyped tables.
 * The cast is sound because a store validates the rows of a table by its description.
 */
export function typedTable<R extends AnyRow>(table: Table, _description: TableDescription<R>): Table<R> {
  return table as unknown as Table<R>;
}
