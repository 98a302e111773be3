import type { Query } from './query.ts';
import type { Table, Tables } from './store.ts';
import type { AnyRow, TableDescription } from './table.ts';

/** Wraps the tables of a transaction with some of their methods overridden. */
export function overrideTables(tables: Tables, overrides: Partial<Tables>): Tables {
  return {
    now: () => tables.now(),
    serial: tables.serial,
    setting: (name) => tables.setting(name),
    of: (description) => tables.of(description),
    copyOf: (description) => tables.copyOf(description),
    tryLock: (name) => tables.tryLock(name),
    afterCommit: (callback) => tables.afterCommit(callback),
    whenVisible: (callback) => tables.whenVisible(callback),
    warn: (warning) => tables.warn(warning),
    warnings: tables.warnings,
    ...overrides,
  };
}

/**
 * Wraps a table with some of its methods overridden. The others are called on the table itself, because its class may
 * hold private state.
 */
export function overrideTable(table: Table, overrides: Partial<Table>): Table {
  return {
    find: (query?: Query) => table.find(query),
    count: (where, max) => table.count(where, max),
    countBy: (by, where) => table.countBy(by, where),
    sumBy: (by, sums, where) => table.sumBy(by, sums, where),
    histogram: (by, steps, where) => table.histogram(by, steps, where),
    insert: (rows) => table.insert(rows),
    insertAbsent: (rows, key) => table.insertAbsent(rows, key),
    update: (changes) => table.update(changes),
    updateWhere: (where, set, add) => table.updateWhere(where, set, add),
    delete: (where) => table.delete(where),
    purge: (where) => table.purge(where),
    ...overrides,
  };
}

/**
 * Casts a table to the row type of its description: stores create untyped tables, and decorators wrap untyped tables.
 * The cast is sound because a store validates the rows of a table by its description.
 */
export function typedTable<R extends AnyRow>(table: Table, _description: TableDescription<R>): Table<R> {
  return table as unknown as Table<R>;
}
