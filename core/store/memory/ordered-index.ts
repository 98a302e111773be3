import type { Order } from '../query.ts';
import type { AnyRow } from '../table.ts';
import { compareValues, type FieldCondition } from '../where.ts';

const bucketSize = 512;

/** The use of an index for a query. */
export interface Access {
  /** The number of columns of the index that narrow the query. */
  readonly narrowed: number;
  /** Whether the rows come in the order that was asked for. */
  readonly ordered: boolean;
  rows(): Iterable<AnyRow>;
}

/**
 * Holds the rows of a table in ascending order of some columns, ids last; in buckets, so that an insert moves a few
 * hundred.
 */
export class OrderedIndex {
  readonly columns: readonly string[];
  readonly #buckets: AnyRow[][] = [];

  constructor(columns: readonly string[]) {
    this.columns = columns;
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
    const [row] = this.#range(values, []);
    return row;
  }

  /** Narrows a query by its equalities on the leading columns and by its bounds on the next one. */
  access(conditions: readonly FieldCondition[], order: Order): Access {
    const prefix: unknown[] = [];
    for (const column of this.columns) {
      const equality = conditions.find(([name, is]) => name === column && is === '=');
      if (!equality) break;
      prefix.push(equality[2]);
    }
    const remaining = this.columns.slice(prefix.length);
    const bounds = conditions.filter(([column, is]) => column === remaining[0] && /^[<>]/.test(is));
    return {
      narrowed: prefix.length + (bounds.length > 0 ? 1 : 0),
      ordered: isAscending(order, remaining),
      rows: () => this.#range(prefix, bounds),
    };
  }

  /**
   * Yields the rows with a prefix, within bounds of the column behind it. A bound that excludes its value is left to the
   * predicate of the query.
   */
  *#range(prefix: readonly unknown[], bounds: readonly FieldCondition[]): Generator<AnyRow> {
    const bounded = this.columns[prefix.length] as string;
    /** Compares a row with the range: negative before it, zero in it, positive behind it. */
    const position = (row: AnyRow): number => {
      for (let at = 0; at < prefix.length; at += 1) {
        const order = compareValues(row[this.columns[at] as string], prefix[at]);
        if (order !== 0) return order;
      }
      for (const [, is, value] of bounds) {
        const order = compareValues(row[bounded], value);
        if (is.startsWith('>') ? order < 0 : order > 0) return order;
      }
      return 0;
    };
    let [bucket, at] = this.#find((row) => position(row) < 0);
    for (let rows = this.#buckets[bucket]; rows; rows = this.#buckets[++bucket], at = 0) {
      for (; at < rows.length; at += 1) {
        const row = rows[at] as AnyRow;
        if (position(row) !== 0) return;
        yield row;
      }
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
}

/** Whether rows in ascending order of the columns, ids last, are in that order. */
function isAscending(order: Order, columns: readonly string[]): boolean {
  const wanted = order.some(([column]) => column === 'id') ? order : [...order, ['id', 'asc'] as const];
  const own = columns.includes('id') ? columns : [...columns, 'id'];
  return (
    wanted.length === own.length && wanted.every(([column, direction], at) => column === own[at] && direction === 'asc')
  );
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
