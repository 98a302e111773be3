import type { Order, Query, Steps, Where } from '../query.ts';
import { required } from '../rows.ts';
import type { Change } from '../store.ts';
import { danglingReference, type ForeignKey, stillReferenced, uniqueViolation } from '../store-conflicts.ts';
import {
  columnOf,
  plainColumnOf,
  rejectUnknownColumns,
  storedRowOf,
  storedValue,
  storedValueOf,
} from '../stored-values.ts';
import type { AnyRow, RowValues, TableDescription } from '../table.ts';
import { compareValues, isFieldCondition, normalizeWhere, predicate, withinSteps } from '../where.ts';
import { type Access, OrderedIndex } from './ordered-index.ts';

type Undo = (() => void)[];
type Amounts = Readonly<Partial<Record<string, number>>>;

/** One table of the memory store: its rows, their indexes, and the foreign keys from and to it. */
export class MemoryTable {
  readonly #table: TableDescription;
  readonly #rows = new Map<number, AnyRow>();
  readonly #indexes: readonly OrderedIndex[];
  readonly #unique: readonly OrderedIndex[];
  readonly #binary: readonly string[];
  readonly #revised: boolean;
  readonly #references: { readonly key: ForeignKey; readonly to: MemoryTable }[] = [];
  readonly #referrers: { readonly key: ForeignKey; readonly index: OrderedIndex }[] = [];
  #lastId = 0;

  constructor(table: TableDescription) {
    this.#table = table;
    this.#revised = table.columns.some((column) => column.name === 'revision');
    this.#binary = table.columns.filter((column) => column.kind === 'binary').map((column) => column.name);
    const references = table.columns.filter((column) => column.kind === 'reference').map((column) => [column.name]);
    const partial = table.partialIndexes.map(({ columns }) => columns);
    const groups = [['id'], ...table.unique, ...table.indexes, ...partial, ...references];
    const distinct = new Map(groups.map((group) => [group.join(), group]));
    this.#indexes = [...distinct.values()].map((group) => new OrderedIndex(group));
    this.#unique = table.unique.map((group) => this.#indexOf(group));
  }

  /** Enforces a foreign key between two tables. */
  static connect(key: ForeignKey, from: MemoryTable, to: MemoryTable): void {
    from.#references.push({ key, to });
    to.#referrers.push({ key, index: from.#indexOf([key.column.name]) });
  }

  find(query: Query): AnyRow[] {
    const names = query.columns?.map((name) => columnOf(this.#table, name).name);
    return this.#matching(query).map((row) => this.#copy(row, names));
  }

  count(where: Where = [], max = Number.POSITIVE_INFINITY): number {
    return where.length === 0 ? Math.min(this.#rows.size, max) : this.#matching({ where, limit: max }).length;
  }

  countBy(by: readonly string[], where: Where = []): { values: unknown[]; count: number }[] {
    return this.#groups(by, where).map(({ values, rows }) => ({ values, count: rows.length }));
  }

  sumBy(by: readonly string[], names: readonly string[], where: Where = []): { values: unknown[]; sums: number[] }[] {
    for (const name of names) plainColumnOf(this.#table, name);
    const sumOf = (rows: readonly AnyRow[], name: string) => rows.reduce((sum, row) => sum + Number(row[name] ?? 0), 0);
    return this.#groups(by, where).map(({ values, rows }) => ({
      values,
      sums: names.map((name) => sumOf(rows, name)),
    }));
  }

  histogram(by: readonly string[], steps: Steps, where: Where = []): { values: unknown[]; counts: number[] }[] {
    const { of, from, length, count } = steps;
    return this.#groups(by, [...where, ...withinSteps(this.#table, steps)]).map(({ values, rows }) => {
      const counts = new Array<number>(count).fill(0);
      for (const row of rows) {
        const step = Math.floor(((row[of] as number) - from) / length);
        counts[step] = (counts[step] ?? 0) + 1;
      }
      return { values, counts };
    });
  }

  insert(row: RowValues, undo: Undo): number {
    return this.#insert(this.#stored(row), undo);
  }

  insertAbsent(row: RowValues, key: readonly string[], undo: Undo): number | null {
    const unique = this.#unique.find(({ columns }) => columns.join() === key.join());
    if (!unique) throw new Error(`${key.join(', ')} do not form a unique group of ${this.#table.table}.`);
    const stored = this.#stored(row);
    return ownerOf(unique, stored) ? null : this.#insert(stored, undo);
  }

  get lastId(): number {
    return this.#lastId;
  }

  insertWithId(row: AnyRow, undo: Undo): void {
    const stored = this.#stored(row);
    stored.id = storedValue(this.#table.table, columnOf(this.#table, 'id'), row.id) as number;
    if (this.#rows.has(row.id)) throw uniqueViolation(this.#table, ['id']);
    this.#insertComplete(stored, undo);
    this.setLastId(Math.max(this.#lastId, row.id), undo);
  }

  setLastId(id: number, undo: Undo): void {
    const before = this.#lastId;
    this.#lastId = id;
    undo.push(() => {
      this.#lastId = before;
    });
  }

  /** Updates a row; returns whether it was there, at the revision it was read at, and has been written. */
  update({ row: read, set }: Change, undo: Undo): boolean {
    const row = this.#rows.get(read.id);
    if (!row || (this.#revised && row['revision'] !== read['revision'])) return false;
    this.#write(row, this.#storedSet(set), undo);
    return true;
  }

  updateWhere(where: Where, set: RowValues, undo: Undo, add: Amounts = {}): number {
    const rows = this.#matching({ where });
    const values = this.#storedSet(set);
    for (const row of rows) this.#write(row, { ...values, ...this.#storedSet(sums(row, add)) }, undo);
    return rows.length;
  }

  delete(where: Where, undo: Undo): AnyRow[] {
    const rows = this.#matching({ where, order: [['id', 'asc']] });
    for (const row of rows) {
      this.#remove(row);
      undo.push(() => this.#add(row));
    }
    for (const row of rows)
      for (const { key, index } of this.#referrers) if (index.first([row.id])) throw stillReferenced(key);
    return rows.map((row) => this.#copy(row));
  }

  /** The rows that match, grouped by the values of columns. */
  #groups(by: readonly string[], where: Where): { readonly values: unknown[]; readonly rows: readonly AnyRow[] }[] {
    for (const name of by) plainColumnOf(this.#table, name);
    const valuesOf = (row: AnyRow) => by.map((name) => row[name]);
    const groups = Map.groupBy(this.#matching({ where }), (row) => JSON.stringify(valuesOf(row)));
    return [...groups.values()].map((rows) => ({ values: valuesOf(rows[0] as AnyRow), rows }));
  }

  #matching({ where, order = [], limit = Number.POSITIVE_INFINITY, offset = 0 }: Query): AnyRow[] {
    const conditions = normalizeWhere(this.#table, where);
    for (const [column] of order) plainColumnOf(this.#table, column);
    const { rows, ordered } = this.#byId(conditions) ?? this.#byIndex(conditions, order);
    const holds = predicate(conditions);
    const matches: AnyRow[] = [];
    const enough = ordered ? offset + limit : Number.POSITIVE_INFINITY;
    if (enough > 0) for (const row of rows()) if (holds(row) && matches.push(row) >= enough) break;
    if (!ordered) matches.sort(inOrder(order));
    return offset > 0 || limit < matches.length ? matches.slice(offset, offset + limit) : matches;
  }

  /** Undefined where the query does not name the ids. */
  #byId(conditions: Where): Access | undefined {
    const [, is, value] =
      conditions.filter(isFieldCondition).find(([column, is]) => column === 'id' && (is === '=' || is === 'in')) ?? [];
    if (is === undefined) return undefined;
    const ids = new Set(is === 'in' ? (value as number[]) : [value as number]);
    const rows = [...ids].map((id) => this.#rows.get(id)).filter((row) => row !== undefined);
    return { narrowed: 1, ordered: rows.length <= 1, rows: () => rows };
  }

  /** Chooses the index that narrows the query most; of several that do so alike, one in the wanted order. */
  #byIndex(conditions: Where, order: Order): Access {
    const fieldConditions = conditions.filter(isFieldCondition);
    const rank = ({ narrowed, ordered }: Access) => narrowed * 2 + (ordered ? 1 : 0);
    return this.#indexes
      .map((index) => index.access(fieldConditions, order))
      .reduce((best, other) => (rank(other) > rank(best) ? other : best));
  }

  #insert(row: AnyRow, undo: Undo): number {
    row.id = this.#lastId + 1;
    this.#insertComplete(row, undo);
    this.#lastId = row.id;
    return row.id;
  }

  #insertComplete(row: AnyRow, undo: Undo): void {
    for (const unique of this.#unique) if (ownerOf(unique, row)) throw uniqueViolation(this.#table, unique.columns);
    this.#checkReferences(row);
    this.#add(row);
    undo.push(() => this.#remove(row));
  }

  #write(row: AnyRow, values: RowValues, undo: Undo): void {
    const before = Object.fromEntries(Object.keys(values).map((name) => [name, row[name]]));
    const changed = (name: string) => name in values && values[name] !== before[name];
    for (const unique of this.#unique) {
      const owner = unique.columns.some(changed) ? ownerOf(unique, { ...row, ...values }) : undefined;
      if (owner && owner !== row) throw uniqueViolation(this.#table, unique.columns);
    }
    this.#checkReferences(values);
    this.#assign(row, values);
    undo.push(() => this.#assign(row, before));
  }

  #assign(row: AnyRow, values: RowValues): void {
    const changed = (name: string) => name in values && values[name] !== row[name];
    const moved = this.#indexes.filter(({ columns }) => columns.some(changed));
    for (const index of moved) index.remove(row);
    Object.assign(row, values);
    for (const index of moved) index.add(row);
  }

  #add(row: AnyRow): void {
    this.#rows.set(row.id, row);
    for (const index of this.#indexes) index.add(row);
  }

  #remove(row: AnyRow): void {
    this.#rows.delete(row.id);
    for (const index of this.#indexes) index.remove(row);
  }

  #checkReferences(values: RowValues): void {
    for (const { key, to } of this.#references) {
      const id = values[key.column.name] as number | null | undefined;
      if (id !== null && id !== undefined && !to.#rows.has(id)) throw danglingReference(key);
    }
  }

  #indexOf(group: readonly string[]): OrderedIndex {
    const name = group.join();
    return required(
      this.#indexes.find(({ columns }) => columns.join() === name),
      `index of ${this.#table.table} on ${name}`,
    );
  }

  #stored(row: RowValues): AnyRow {
    rejectUnknownColumns(this.#table, row);
    return storedRowOf(this.#table, row as AnyRow);
  }

  #storedSet(set: RowValues): RowValues {
    return Object.fromEntries(
      Object.entries(set).map(([name, value]) => [name, storedValueOf(this.#table, name, value)]),
    );
  }

  #copy(row: AnyRow, names?: readonly string[]): AnyRow {
    const copy = (names ? Object.fromEntries(names.map((name) => [name, row[name]])) : { ...row }) as AnyRow;
    for (const name of this.#binary) if (copy[name]) copy[name] = (copy[name] as Uint8Array).slice();
    return copy;
  }
}

/** Finds the row that has the same values in a unique group; none when one of them is null. */
function ownerOf(unique: OrderedIndex, row: RowValues): AnyRow | undefined {
  const values = unique.columns.map((name) => row[name]);
  return values.includes(null) ? undefined : unique.first(values);
}

/** Returns the columns that an amount is added to, with their sums. */
function sums(row: AnyRow, amounts: Amounts): RowValues {
  return Object.fromEntries(
    Object.entries(amounts).map(([name, amount = 0]) => [name, (row[name] as number) + amount]),
  );
}

function inOrder(order: Order): (a: AnyRow, b: AnyRow) => number {
  return (a, b) => {
    for (const [column, direction] of order) {
      const compared = compareValues(a[column], b[column]);
      const hasNull = a[column] === null || b[column] === null;
      if (compared !== 0) return direction === 'desc' && !hasNull ? -compared : compared;
    }
    return a.id - b.id;
  };
}
