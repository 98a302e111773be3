import type { FieldDescription, Query, TableDescription, Where } from '@horarium/core';
import { columnOf, type FieldCondition, isFieldCondition, plainColumnOf } from '@horarium/core/store';
import { type Dialect, quoted } from './sql-dialect.ts';

/** Builds the text of one statement; values are bound as parameters, never written into the text. */
export class SqlText {
  readonly parameters: unknown[] = [];
  readonly #dialect: Dialect;
  readonly #table: TableDescription;

  constructor(dialect: Dialect, table: TableDescription) {
    this.#dialect = dialect;
    this.#table = table;
  }

  /** Binds a parameter; returns its placeholder. */
  bind(parameter: unknown): string {
    this.parameters.push(parameter);
    return this.#dialect.placeholder(this.parameters.length);
  }

  value(column: FieldDescription, value: unknown): string {
    return this.bind(this.#dialect.parameter(column, value));
  }

  /** Writes ` where …`, or nothing without conditions. */
  where(where: Where): string {
    return where.length === 0 ? '' : ` where ${this.#all(where)}`;
  }

  /**
   * Writes ` order by …` with the id as tie-break. Writes `nulls last` only where nulls can occur, because it keeps
   * indexes from being used.
   */
  order(order: NonNullable<Query['order']>, where: Where): string {
    const idPosition = order.findIndex(([field]) => field === 'id');
    const terms = idPosition < 0 ? [...order, ['id', 'asc'] as const] : order.slice(0, idPosition + 1);
    const parts = terms.map(([field, direction]) => {
      const column = plainColumnOf(this.#table, field);
      const nullsLast =
        column.nullable && direction === this.#dialect.nullsFirstDirection && !excludesNull(where, field);
      return `${quoted(field)} ${direction}${nullsLast ? ' nulls last' : ''}`;
    });
    return ` order by ${parts.join(', ')}`;
  }

  limit(limit: number | undefined, offset = 0): string {
    const max = limit === undefined || limit === Number.POSITIVE_INFINITY ? undefined : limit;
    const first =
      max === undefined ? (offset > 0 ? this.#dialect.unlimitedClause : '') : ` limit ${this.#rowCount(max)}`;
    return offset > 0 ? `${first} offset ${this.#rowCount(offset)}` : first;
  }

  #rowCount(rows: number): string {
    return this.#dialect.limitPlaceholder(this.bind(rows));
  }

  #all(where: Where): string {
    if (where.length === 0) return 'true';
    const indexed = this.#indexed(where);
    return where.map((condition) => this.#condition(condition, indexed)).join(' and ');
  }

  /**
   * Returns the fields whose index the planner is to use when the conditions begin with a list of values: those of the
   * index that covers most of the conditions. Null leaves the choice to the planner.
   */
  #indexed([first, ...others]: Where): ReadonlySet<string> | null {
    if (!first || !isFieldCondition(first) || first[1] !== 'in') return null;
    const fields = new Set(others.flatMap((condition) => (isFieldCondition(condition) ? [condition[0]] : [])));
    const { indexes, unique } = this.#table;
    const covering = [...indexes, ...unique]
      .filter(([field]) => field === first[0])
      .map((columns) => {
        const end = columns.findIndex((field, position) => position > 0 && !fields.has(field));
        return end < 0 ? columns : columns.slice(0, end);
      });
    return new Set([
      first[0],
      ...covering.reduce((best, columns) => (columns.length > best.length ? columns : best), []),
    ]);
  }

  #condition(condition: Where[number], indexed: ReadonlySet<string> | null): string {
    if (isFieldCondition(condition)) return this.#fieldCondition(condition, indexed);
    if (condition.any.length === 0) return 'false';
    return `(${condition.any.map((branch) => this.#all(branch)).join(' or ')})`;
  }

  #fieldCondition([field, comparison, value]: FieldCondition, indexed: ReadonlySet<string> | null): string {
    const column = columnOf(this.#table, field);
    const name = indexed && !indexed.has(field) ? this.#dialect.unindexed(quoted(field)) : quoted(field);
    if (comparison === 'in') {
      const values = value as unknown[];
      if (values.length === 0) return 'false';
      return this.#dialect.isIn(name, column, this.bind(this.#dialect.listParameter(column, values)));
    }
    if (value === null)
      return comparison === '=' ? `${name} is null` : comparison === '!=' ? `${name} is not null` : 'false';
    const operator = comparison === '!=' ? (column.nullable ? this.#dialect.isDistinctFrom : '<>') : comparison;
    return `${name} ${operator} ${this.value(column, value)}`;
  }
}

function excludesNull(where: Where, field: string): boolean {
  return where.some(
    (condition) =>
      isFieldCondition(condition) && condition[0] === field && (condition[1] === '!=') === (condition[2] === null),
  );
}
