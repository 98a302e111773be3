import type { Query, Where } from '../query.ts';
import type { Change } from '../store.ts';
import { type ForeignKey, pointsNowhere, referredTo, taken } from '../store-conflicts.ts';
import { columnOf, plainColumnOf, refuseUnknown, storedValueOf } from '../stored-values.ts';
import type { AnyRow, TableDescription } from '../table.ts';
import { compareValues, isFieldTerm, normalizeWhere, predicate } from '../where.ts';
import { allowedValues, MemoryIndex, type Route } from './memory-index.ts';

type Undo = () => void;
type Loose = Readonly<Record<string, unknown>>;

/** What the memory store keeps of one table: rows, their order by each index, and the rules between them. */
export class MemoryTable {
  readonly #table: TableDescription;
  readonly #rows = new Map<number, AnyRow>();
  readonly #indexes: readonly MemoryIndex[];
  readonly #byFields: ReadonlyMap<string, MemoryIndex>;
  readonly #unique: readonly { readonly group: readonly string[]; readonly index: MemoryIndex }[];
  readonly #copied: readonly string[];
  readonly #revised: boolean;
  readonly #pointers: { readonly key: ForeignKey; readonly to: MemoryTable }[] = [];
  readonly #referrers: { readonly key: ForeignKey; readonly index: MemoryIndex }[] = [];
  #lastId = 0;

  constructor(table: TableDescription) {
    this.#table = table;
    this.#revised = table.columns.some((column) => column.name === 'revision');
    this.#copied = table.columns.filter((column) => column.kind === 'binary').map((column) => column.name);
    const references = table.columns.filter((column) => column.kind === 'reference').map((column) => [column.name]);
    const groups = [['id'], ...table.unique, ...table.indexes, ...references];
    const distinct = new Map(groups.map((group) => [group.join(), group]));
    this.#byFields = new Map([...distinct].map(([name, group]) => [name, new MemoryIndex(table, group)]));
    this.#indexes = [...this.#byFields.values()];
    this.#unique = table.unique.map((group) => ({ group, index: this.#indexOf(group) }));
  }

  /** Makes the reference a rule between the two tables. */
  static connect(key: ForeignKey, from: MemoryTable, to: MemoryTable): void {
    from.#pointers.push({ key, to });
    to.#referrers.push({ key, index: from.#indexOf([key.column.name]) });
  }

  find(query: Query): AnyRow[] {
    const names = query.columns?.map((name) => columnOf(this.#table, name).name);
    return this.#matching(query).map((row) => this.#copy(row, names));
  }

  count(where: Where = [], most = Number.POSITIVE_INFINITY): number {
    return where.length === 0 ? Math.min(this.#rows.size, most) : this.#matching({ where, limit: most }).length;
  }

  countBy(by: readonly string[], where: Where = []): { values: unknown[]; count: number }[] {
    const groups = new Map<string, { values: unknown[]; count: number }>();
    for (const name of by) plainColumnOf(this.#table, name);
    for (const row of this.#matching({ where })) {
      const values = by.map((name) => row[name]);
      const name = JSON.stringify(values);
      const group = groups.get(name);
      if (group) group.count += 1;
      else groups.set(name, { values, count: 1 });
    }
    return [...groups.values()];
  }

  insert(row: Loose, undo: Undo[]): number {
    return this.#add(this.#stored(row), undo);
  }

  insertAbsent(row: Loose, key: readonly string[], undo: Undo[]): number | null {
    const unique = this.#unique.find(({ group }) => group.join() === key.join());
    if (!unique) throw new Error(`${key.join(', ')} are no unique group of ${this.#table.table}.`);
    const stored = this.#stored(row);
    return holder(unique.index, stored) ? null : this.#add(stored, undo);
  }

  #add(stored: AnyRow, undo: Undo[]): number {
    for (const { group, index } of this.#unique) if (holder(index, stored)) throw taken(this.#table, group);
    this.#checkPointers(stored);
    this.#lastId += 1;
    stored.id = this.#lastId;
    this.#put(stored);
    undo.push(() => this.#take(stored));
    return stored.id;
  }

  /** True when the row was there, at the revision it was read at, and has been written. */
  update(change: Change, undo: Undo[]): boolean {
    const row = this.#rows.get(change.row.id);
    if (!row || (this.#revised && row.revision !== change.row.revision)) return false;
    this.#write(row, this.#values(change.set), undo);
    return true;
  }

  updateWhere(where: Where, set: Loose, undo: Undo[]): number {
    const rows = this.#matching({ where });
    const values = this.#values(set);
    for (const row of rows) this.#write(row, values, undo);
    return rows.length;
  }

  delete(where: Where, undo: Undo[]): AnyRow[] {
    const rows = this.#matching({ where, order: [['id', 'asc']] });
    for (const row of rows) {
      this.#take(row);
      undo.push(() => this.#put(row));
    }
    for (const row of rows)
      for (const { key, index } of this.#referrers) if (index.first([row.id])) throw referredTo(key);
    return rows.map((row) => this.#copy(row));
  }

  #matching({ where, order = [], limit = Number.POSITIVE_INFINITY, offset = 0 }: Query): AnyRow[] {
    const terms = normalizeWhere(this.#table, where);
    for (const [field] of order) plainColumnOf(this.#table, field);
    const best = this.#byId(terms) ?? this.#route(terms, order);
    const holds = predicate(terms);
    const found: AnyRow[] = [];
    const enough = best.ordered ? offset + limit : Number.POSITIVE_INFINITY;
    if (enough > 0) {
      for (const row of best.rows()) {
        if (holds(row) && found.push(row) >= enough) break;
      }
    }
    if (!best.ordered) found.sort(inOrder(order));
    return offset > 0 || limit < found.length ? found.slice(offset, offset + limit) : found;
  }

  /** The quickest way to what those conditions ask for. */
  #route(terms: Where, order: NonNullable<Query['order']>): Route {
    const rated = ({ score, ordered }: Route) => score * 2 + (ordered ? 1 : 0);
    return this.#indexes
      .map((index) => index.route(terms, order))
      .reduce((best, other) => (rated(other) > rated(best) ? other : best));
  }

  /** The way to rows whose ids are given; undefined when they are not. */
  #byId(terms: Where): Route | undefined {
    const ids = allowedValues(terms.filter(isFieldTerm), 'id') as number[] | undefined;
    if (!ids) return undefined;
    const rows = ids.map((id) => this.#rows.get(id)).filter((row) => row !== undefined);
    return { score: Number.POSITIVE_INFINITY, ordered: rows.length <= 1, rows: () => rows };
  }

  #write(row: AnyRow, values: Loose, undo: Undo[]): void {
    const before = Object.fromEntries(Object.keys(values).map((name) => [name, row[name]]));
    const next = { ...row, ...values };
    const changed = (name: string) => name in values && values[name] !== before[name];
    for (const { group, index } of this.#unique) {
      if (!group.some(changed)) continue;
      const other = holder(index, next);
      if (other && other !== row) throw taken(this.#table, group);
    }
    this.#checkPointers(values);
    this.#assign(row, values);
    undo.push(() => this.#assign(row, before));
  }

  #assign(row: AnyRow, values: Loose): void {
    const moved = this.#indexes.filter(({ fields }) =>
      fields.some((name) => name in values && values[name] !== row[name]),
    );
    for (const index of moved) index.remove(row);
    Object.assign(row, values);
    for (const index of moved) index.add(row);
  }

  #put(row: AnyRow): void {
    this.#rows.set(row.id, row);
    for (const index of this.#indexes) index.add(row);
  }

  #take(row: AnyRow): void {
    this.#rows.delete(row.id);
    for (const index of this.#indexes) index.remove(row);
  }

  #checkPointers(values: Loose): void {
    for (const { key, to } of this.#pointers) {
      const id = values[key.column.name] as number | null | undefined;
      if (id !== null && id !== undefined && !to.#rows.has(id)) throw pointsNowhere(key);
    }
  }

  #indexOf(group: readonly string[]): MemoryIndex {
    return this.#byFields.get(group.join()) as MemoryIndex;
  }

  #stored(row: Loose): AnyRow {
    refuseUnknown(this.#table, row);
    const stored: AnyRow = { id: 0 };
    for (const column of this.#table.columns)
      if (column.name !== 'id') stored[column.name] = storedValueOf(this.#table, column.name, row[column.name]);
    return stored;
  }

  #values(set: Loose): Loose {
    return Object.fromEntries(
      Object.entries(set).map(([name, value]) => [name, storedValueOf(this.#table, name, value)]),
    );
  }

  #copy(row: AnyRow, names?: readonly string[]): AnyRow {
    const copy = (names ? Object.fromEntries(names.map((name) => [name, row[name]])) : { ...row }) as AnyRow;
    for (const name of this.#copied) {
      const bytes = copy[name];
      if (bytes) copy[name] = (bytes as Uint8Array).slice();
    }
    return copy;
  }
}

/** The row that has the same values in a unique group; none when one of them is null. */
function holder(index: MemoryIndex, row: Loose): AnyRow | undefined {
  const values = index.fields.map((name) => row[name]);
  return values.includes(null) ? undefined : index.first(values);
}

function inOrder(order: NonNullable<Query['order']>): (a: AnyRow, b: AnyRow) => number {
  return (a, b) => {
    for (const [field, direction] of order) {
      const compared = compareValues(a[field], b[field]);
      if (compared === 0) continue;
      const hasNull = a[field] === null || b[field] === null;
      return direction === 'desc' && !hasNull ? -compared : compared;
    }
    return a.id - b.id;
  };
}
