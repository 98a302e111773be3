import type { Query, Where } from './query.ts';
import type { Change, Table } from './store.ts';
import type { AnyRow } from './table.ts';

/** A table that forwards every call to another one, for classes that override some of its methods. */
export class ForwardingTable implements Table {
  protected readonly table: Table;

  constructor(table: Table) {
    this.table = table;
  }

  find(query?: Query) {
    return this.table.find(query);
  }

  count(where?: Where, max?: number) {
    return this.table.count(where, max);
  }

  countBy(by: readonly string[], where?: Where) {
    return this.table.countBy(by, where);
  }

  insert(rows: readonly Omit<AnyRow, 'id'>[]) {
    return this.table.insert(rows);
  }

  insertAbsent(rows: readonly Omit<AnyRow, 'id'>[], key: readonly string[]) {
    return this.table.insertAbsent(rows, key);
  }

  update(changes: readonly Change[]) {
    return this.table.update(changes);
  }

  updateWhere(where: Where, set: Partial<AnyRow>) {
    return this.table.updateWhere(where, set);
  }

  delete(where: Where) {
    return this.table.delete(where);
  }
}
