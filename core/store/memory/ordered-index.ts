import type { Order } from '../query.ts';
import { columnOf } from '../stored-values.ts';
import type { AnyRow, TableDescription } from '../table.ts';
import { compareValues, type FieldCondition } from '../where.ts';

const bucketSize = 512;

/** The use of an index for a query. */
export interface Access {
  /** The number of columns by which the index narrows the query. */
  readonly narrowed: number;
  /** Whether the rows come in the order that was asked for. */
  readonly ordered: boolean;
  rows(): Iterable<AnyRow>;
}

/**
 * Holds the rows of a table in the order of some columns, ids last; in buckets, so that an insert moves a few hundred.
 */
export class OrderedIndex {
  readonly columns: readonly string[];
  readonly #nullable: ReadonlySet<string>;
  readonly #buckets: AnyRow[][] = [];

  constructor(table: TableDescription, columns: readonly string[]) {
    this.columns = columns;
    this.#nullable = new Set(columns.filter((column) => columnOf(table, column).nullable));
  }

  add(row: AnyRow): void {
    const last = this.#buckets.at(-1);
    if (!last || this.#compare(last.at(-1) as AnyRow, row) < 0) {
      if (last && last.length < bucketSize) last.push(row);
      else this.#buckets.push([row]);
      return;
    }
    const [bucket, at] = this.#find((other) => this.#compare(other, row) < 0);
    const rows = this.#buckets[bucket] as AnyRow[];
    rows.splice(at, 0, row);
    if (rows.length > bucketSize) this.#buckets.splice(bucket + 1, 0, rows.splice(bucketSize / 2));
  }

  remove(row: AnyRow): void {
    const [bucket, at] = this.#find((other) => this.#compare(other, row) < 0);
    const rows = this.#buckets[bucket];
    if (rows?.[at] !== row) throw new Error('The row is not in its index.');
    rows.splice(at, 1);
    if (rows.length === 0) this.#buckets.splice(bucket, 1);
  }

  /** Finds the first row with these values in the leading columns. */
  first(values: readonly unknown[]): AnyRow | undefined {
    const [bucket, at] = this.#find((row) => this.#comparePrefix(row, values) < 0);
    const row = this.#buckets[bucket]?.[at];
    return row && this.#comparePrefix(row, values) === 0 ? row : undefined;
  }

  /** Narrows a query by its equalities and lists on the leading columns, and by its bounds on the next. */
  access(conditions: readonly FieldCondition[], order: Order): Access {
    let prefixes: unknown[][] = [[]];
    let fixed = 0;
    for (const column of this.columns) {
      const values = allowedValues(conditions, column);
      if (!values) break;
      prefixes = prefixes.flatMap((prefix) => values.map((value) => [...prefix, value]));
      fixed += 1;
    }
    const next = this.columns[fixed];
    const bounds = next === undefined ? [] : conditions.filter(([column, is]) => column === next && /^[<>]/.test(is));
    const direction = prefixes.length > 1 ? undefined : this.#direction(fixed, bounds.length > 0, order);
    const scan = (prefix: readonly unknown[]) => this.#scan(prefix, next, bounds, direction === 'desc');
    return {
      narrowed: fixed + (bounds.length > 0 ? 1 : 0),
      ordered: prefixes.length === 0 || direction !== undefined,
      rows: function* () {
        for (const prefix of prefixes) yield* scan(prefix);
      },
    };
  }

  /**
   * Returns the direction to walk in behind that many fixed columns so that rows come in the wanted order; undefined
   * when neither does.
   */
  #direction(fixed: number, bounded: boolean, order: Order): 'asc' | 'desc' | undefined {
    const free = order.filter(([column]) => !this.columns.slice(0, fixed).includes(column));
    const wanted = free.some(([column]) => column === 'id') ? free : [...free, ['id', 'asc'] as const];
    const own = [...new Set([...this.columns.slice(fixed), 'id'])];
    const last = own.indexOf('id');
    const [, direction] = wanted[0] ?? [];
    if (!own.slice(0, last + 1).every((column, at) => wanted[at]?.[0] === column && wanted[at]?.[1] === direction))
      return undefined;
    // Nulls come last both ways; bounds leave none.
    const nulls = own.slice(0, last).some((column, at) => this.#nullable.has(column) && !(at === 0 && bounded));
    return direction === 'desc' && nulls ? undefined : direction;
  }

  /**
   * Yields the rows behind a prefix within bounds. A bound that excludes its value is left to the predicate of the
   * query.
   */
  #scan(prefix: readonly unknown[], next: string | undefined, bounds: readonly FieldCondition[], backwards: boolean) {
    const relation = (row: AnyRow): number => {
      const order = this.#comparePrefix(row, prefix);
      if (order !== 0 || next === undefined || bounds.length === 0) return order;
      if (row[next] === null) return 1;
      for (const [, is, value] of bounds) {
        const compared = compareValues(row[next], value);
        if (is.startsWith('>') ? compared < 0 : compared > 0) return compared;
      }
      return 0;
    };
    return this.#walk(relation, backwards);
  }

  /** The rows whose relation is 0; those before them have a negative one, those behind a positive one. */
  *#walk(relation: (row: AnyRow) => number, backwards: boolean): Generator<AnyRow> {
    const step = backwards ? -1 : 1;
    let [bucket, at] = this.#find((row) => (backwards ? relation(row) <= 0 : relation(row) < 0));
    if (backwards && --at < 0) at = (this.#buckets[--bucket]?.length ?? 0) - 1;
    for (let rows = this.#buckets[bucket]; rows; rows = this.#buckets[bucket]) {
      for (let row = rows[at]; row; row = rows[at]) {
        if (relation(row) !== 0) return;
        yield row;
        at += step;
      }
      bucket += step;
      at = backwards ? (this.#buckets[bucket]?.length ?? 0) - 1 : 0;
    }
  }

  /** Finds the first row for which `isBefore` is false, by binary search: its bucket and its index in that. */
  #find(isBefore: (row: AnyRow) => boolean): [bucket: number, at: number] {
    const bucket = partition(this.#buckets.length, (each) => isBefore(this.#buckets[each]?.at(-1) as AnyRow));
    const rows = this.#buckets[bucket] ?? [];
    return [bucket, partition(rows.length, (at) => isBefore(rows[at] as AnyRow))];
  }

  #compare(a: AnyRow, b: AnyRow): number {
    for (const column of this.columns) {
      const order = compareValues(a[column], b[column]);
      if (order !== 0) return order;
    }
    return a.id - b.id;
  }

  #comparePrefix(row: AnyRow, values: readonly unknown[]): number {
    for (let at = 0; at < values.length; at += 1) {
      const order = compareValues(row[this.columns[at] as string], values[at]);
      if (order !== 0) return order;
    }
    return 0;
  }
}

/** Returns the values that a column is limited to by an equality or a list. */
export function allowedValues(conditions: readonly FieldCondition[], column: string): unknown[] | undefined {
  const equal = conditions.find(([name, is]) => name === column && is === '=');
  if (equal) return [equal[2]];
  const listed = conditions.find(([name, is]) => name === column && is === 'in');
  return listed && [...new Set(listed[2] as unknown[])];
}

/** Counts, by binary search, how many of so many things hold, where those that hold come first. */
function partition(length: number, holds: (at: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
