import type { FieldRow, Query, TableDescription, Where } from '@horarium/core';
import { columnOf, type FieldTerm, isFieldTerm, plainColumnOf } from '@horarium/core/store';
import { type Dialect, quoted } from './sql-dialect.ts';

/** A statement being written: its parameters are bound, never part of its text. */
export class SqlText {
  readonly parameters: unknown[] = [];
  readonly #dialect: Dialect;
  readonly #table: TableDescription;

  constructor(dialect: Dialect, table: TableDescription) {
    this.#dialect = dialect;
    this.#table = table;
  }

  /** The place of a parameter. */
  bound(parameter: unknown): string {
    this.parameters.push(parameter);
    return this.#dialect.placeholder(this.parameters.length);
  }

  value(column: FieldRow, value: unknown): string {
    return this.bound(this.#dialect.parameter(column, value));
  }

  /** ` where …`, or nothing when there are no conditions. */
  where(where: Where): string {
    return where.length === 0 ? '' : ` where ${this.#all(where)}`;
  }

  /** ` order by …`, ids last; of nulls it speaks only where there can be some, or else indexes would not be used. */
  order(order: NonNullable<Query['order']>, where: Where): string {
    const named = order.findIndex(([field]) => field === 'id');
    const wanted = named < 0 ? [...order, ['id', 'asc'] as const] : order.slice(0, named + 1);
    const parts = wanted.map(([field, direction]) => {
      const column = plainColumnOf(this.#table, field);
      const spoken = column.nullable && direction === this.#dialect.nullsFirst && !excludesNull(where, field);
      return `${quoted(field)} ${direction}${spoken ? ' nulls last' : ''}`;
    });
    return ` order by ${parts.join(', ')}`;
  }

  limit(limit: number | undefined, offset = 0): string {
    const most = limit === undefined || limit === Number.POSITIVE_INFINITY ? undefined : limit;
    const first = most === undefined ? (offset > 0 ? this.#dialect.unlimited : '') : ` limit ${this.#amount(most)}`;
    return offset > 0 ? `${first} offset ${this.#amount(offset)}` : first;
  }

  #amount(rows: number): string {
    return this.#dialect.amount(this.bound(rows));
  }

  #all(where: Where): string {
    if (where.length === 0) return 'true';
    const searched = this.#searched(where);
    return where.map((term) => this.#term(term, searched)).join(' and ');
  }

  /**
   * The fields to search by when the conditions begin with a list of values: those of the index that serves the list
   * best. Null = the database may choose.
   */
  #searched([first, ...others]: Where): ReadonlySet<string> | null {
    if (!first || !isFieldTerm(first) || first[1] !== 'in') return null;
    const named = new Set(others.flatMap((term) => (isFieldTerm(term) ? [term[0]] : [])));
    const { indexes, unique } = this.#table;
    const served = [...indexes, ...unique]
      .filter(([field]) => field === first[0])
      .map((fields) => {
        const end = fields.findIndex((field, at) => at > 0 && !named.has(field));
        return end < 0 ? fields : fields.slice(0, end);
      });
    return new Set([first[0], ...served.reduce((best, fields) => (fields.length > best.length ? fields : best), [])]);
  }

  #term(term: Where[number], searched: ReadonlySet<string> | null): string {
    if (isFieldTerm(term)) return this.#fieldTerm(term, searched);
    if (term.any.length === 0) return 'false';
    return `(${term.any.map((branch) => this.#all(branch)).join(' or ')})`;
  }

  #fieldTerm([field, is, value]: FieldTerm, searched: ReadonlySet<string> | null): string {
    const column = columnOf(this.#table, field);
    const name = searched && !searched.has(field) ? this.#dialect.unsearched(quoted(field)) : quoted(field);
    if (is === 'in') {
      const values = value as unknown[];
      if (values.length === 0) return 'false';
      return this.#dialect.isIn(name, column, this.bound(this.#dialect.listParameter(column, values)));
    }
    if (value === null) return is === '=' ? `${name} is null` : is === '!=' ? `${name} is not null` : 'false';
    const operator = is === '!=' ? (column.nullable ? this.#dialect.differs : '<>') : is;
    return `${name} ${operator} ${this.value(column, value)}`;
  }
}

function excludesNull(where: Where, field: string): boolean {
  return where.some((term) => isFieldTerm(term) && term[0] === field && (term[1] === '!=') === (term[2] === null));
}
