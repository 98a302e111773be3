import type { Query, Where } from '../query.ts';
import { columnOf } from '../stored-values.ts';
import type { AnyRow, TableDescription } from '../table.ts';
import { compareValues, type FieldTerm, isFieldTerm } from '../where.ts';
import { SortedRows } from './sorted-rows.ts';

const mostPrefixes = 1000;
type Order = NonNullable<Query['order']>;

/** How an index would serve a query. */
export interface Route {
  /** How much of the conditions the index answers: the higher, the fewer rows are looked at. */
  readonly score: number;
  /** The rows come out in the order that was asked for. */
  readonly ordered: boolean;
  rows(): Iterable<AnyRow>;
}

/** The rows of a table in the order of some fields, ids last. */
export class MemoryIndex {
  readonly fields: readonly string[];
  readonly #nullable: ReadonlySet<string>;
  readonly #rows: SortedRows<AnyRow>;

  constructor(table: TableDescription, fields: readonly string[]) {
    this.fields = fields;
    this.#nullable = new Set(fields.filter((field) => columnOf(table, field).nullable));
    this.#rows = new SortedRows((a, b) => {
      for (const field of fields) {
        const order = compareValues(a[field], b[field]);
        if (order !== 0) return order;
      }
      return a.id - b.id;
    });
  }

  add(row: AnyRow): void {
    this.#rows.add(row);
  }

  remove(row: AnyRow): void {
    this.#rows.remove(row);
  }

  /** The first row with those values in the leading fields, if there is one. */
  first(values: readonly unknown[]): AnyRow | undefined {
    const order = (row: AnyRow): number => {
      for (let at = 0; at < values.length; at += 1) {
        const compared = compareValues(row[this.fields[at] as string], values[at]);
        if (compared !== 0) return compared;
      }
      return 0;
    };
    const row = this.#rows.from((each) => order(each) < 0);
    return row && order(row) === 0 ? row : undefined;
  }

  /** How the index would find what those conditions ask for, in that order if it can. */
  route(where: Where, order: Order): Route {
    const terms = where.filter(isFieldTerm);
    let prefixes: unknown[][] = [[]];
    let depth = 0;
    for (const field of this.fields) {
      const values = allowedValues(terms, field);
      if (!values || prefixes.length * values.length > mostPrefixes) break;
      prefixes = prefixes.flatMap((prefix) => values.map((value) => [...prefix, value]));
      depth += 1;
    }
    const next = this.fields[depth];
    const range = next === undefined ? [] : terms.filter(([field, is]) => field === next && /^[<>]/.test(is));
    const direction = prefixes.length > 1 ? undefined : this.#direction(depth, range.length > 0, order);
    return {
      score: depth * 2 + (range.length > 0 ? 1 : 0),
      ordered: prefixes.length === 0 || direction !== undefined,
      rows: () => this.#scanAll(prefixes, range, direction === 'desc'),
    };
  }

  *#scanAll(prefixes: readonly unknown[][], range: readonly FieldTerm[], backwards: boolean): Generator<AnyRow> {
    for (const prefix of prefixes) yield* this.#scan(prefix, range, backwards);
  }

  #scan(prefix: readonly unknown[], range: readonly FieldTerm[], backwards: boolean): Iterable<AnyRow> {
    const next = this.fields[prefix.length];
    const low = tightest(range, '>');
    const high = tightest(range, '<');
    const relation = (row: AnyRow): number => {
      for (let at = 0; at < prefix.length; at += 1) {
        const order = compareValues(row[this.fields[at] as string], prefix[at]);
        if (order !== 0) return order;
      }
      if (next === undefined || range.length === 0) return 0;
      if (row[next] === null) return 1;
      if (low && compareValues(row[next], low.value) < 0) return -1;
      return high && compareValues(row[next], high.value) > 0 ? 1 : 0;
    };
    return this.#rows.between(
      (row) => relation(row) < 0,
      (row) => relation(row) > 0,
      backwards,
    );
  }

  /** Which way to walk behind that many fixed fields so that rows come in the wanted order; undefined: neither. */
  #direction(fixed: number, bounded: boolean, order: Order): 'asc' | 'desc' | undefined {
    const free = order.filter(([field]) => !this.fields.slice(0, fixed).includes(field));
    const wanted = free.some(([field]) => field === 'id') ? free : [...free, ['id', 'asc'] as const];
    const last = wanted.findIndex(([field]) => field === 'id');
    const own = [...new Set([...this.fields.slice(fixed), 'id'])];
    const [, direction] = wanted[0] ?? [];
    const fitting = wanted.slice(0, last + 1).every(([field, way], at) => field === own[at] && way === direction);
    if (!fitting || own.indexOf('id') !== last) return undefined;
    const nullsFirst = own.slice(0, last).some((field, at) => this.#nullable.has(field) && !(at === 0 && bounded));
    return direction === 'desc' && nullsFirst ? undefined : direction;
  }
}

/** The values a field is limited to by an equality or a list. */
export function allowedValues(terms: readonly FieldTerm[], field: string): unknown[] | undefined {
  const equal = terms.find(([name, is]) => name === field && is === '=');
  if (equal) return [equal[2]];
  const listed = terms.find(([name, is]) => name === field && is === 'in');
  return listed && [...new Set(listed[2] as unknown[])];
}

/** The narrowest lower (`>`) or upper (`<`) bound among those terms. */
function tightest(range: readonly FieldTerm[], side: '<' | '>'): { value: unknown } | undefined {
  const values = range.filter(([, is]) => is.startsWith(side)).map(([, , value]) => value);
  values.sort((a, b) => (side === '<' ? compareValues(a, b) : compareValues(b, a)));
  return values.length > 0 ? { value: values[0] } : undefined;
}
