import type { Table, Tables } from './store.ts';
import type { AnyRow, TableDescription } from './table.ts';

/**
 * The same table with the row type of its description: stores make untyped tables, and wrappers wrap those. Only this
 * cast knows that a store validates the rows of a table by its description.
 */
export function typedTable<R extends AnyRow>(table: Table, _description: TableDescription<R>): Table<R> {
  return table as unknown as Table<R>;
}

/** The tables of the same transaction, with some of their methods replaced. */
export function withTables(tables: Tables, changes: Partial<Tables>): Tables {
  return {
    now: () => tables.now(),
    state: () => tables.state(),
    of: (description) => tables.of(description),
    tryLock: (name) => tables.tryLock(name),
    afterCommit: (callback) => tables.afterCommit(callback),
    ...changes,
  };
}
