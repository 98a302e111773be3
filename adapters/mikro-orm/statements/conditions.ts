import type { Query, TableDescription, Where } from '@horarium/core';
import { columnOf, type FieldCondition, isFieldCondition, plainColumnOf } from '@horarium/core/store';
import { type Expression, expressionBuilder, type OrderByModifiersCallbackExpression, type SqlBool, sql } from 'kysely';
import type { Dialect } from '../dialect.ts';
import type { Binding, Slots } from './statement.ts';

type Order = NonNullable<Query['order']>;

const { and, or } = expressionBuilder();

/** Adds the values of conditions to a statement, and what the text of the conditions depends on to its shape. */
export function bindWhere(binding: Binding, dialect: Dialect, table: TableDescription, where: Where): void {
  for (const condition of where) {
    if (!isFieldCondition(condition)) {
      binding.shape += ' (';
      for (const branch of condition.any) {
        bindWhere(binding, dialect, table, branch);
        binding.shape += '|';
      }
      binding.shape += ')';
      continue;
    }
    const [field, comparison, value] = condition;
    binding.shape += ` ${field} ${comparison}`;
    if (comparison === 'in') {
      const values = value as readonly unknown[];
      if (values.length === 0) binding.shape += ' nothing';
      else if (isSingle(values)) {
        binding.shape += ' one';
        binding.values.push(dialect.codec.encode(columnOf(table, field), values[0]));
      } else binding.values.push(dialect.codec.encodeList(columnOf(table, field), values));
    } else if (value === null) binding.shape += ' null';
    else binding.values.push(dialect.codec.encode(columnOf(table, field), value));
  }
}

/** Whether a list has one value, which databases compare sooner than they unpack a list. */
function isSingle(values: readonly unknown[]): boolean {
  return values.length === 1 && values[0] !== null;
}

/** Builds the expression of conditions. It takes slots in the order in which `bindWhere` binds the values. */
export function whereExpression(
  dialect: Dialect,
  table: TableDescription,
  where: Where,
  slots: Slots,
): Expression<SqlBool> {
  if (where.length === 0) return sql<SqlBool>`true`;
  const indexed = indexedFields(table, where);
  return and(
    where.map((condition) => {
      if (isFieldCondition(condition)) return fieldExpression(dialect, table, condition, indexed, slots);
      if (condition.any.length === 0) return sql<SqlBool>`false`;
      return or(condition.any.map((branch) => whereExpression(dialect, table, branch, slots)));
    }),
  );
}

/**
 * Returns the fields whose index the planner is to use: where the conditions begin with the first column of a partial
 * index, and only rows in that index can match, this one; where they begin with a list of values, the index that covers
 * most of the conditions. Null leaves the choice to the planner.
 */
function indexedFields(table: TableDescription, where: Where): ReadonlySet<string> | null {
  const [first, ...others] = where;
  if (!first || !isFieldCondition(first)) return null;
  const partial = table.partialIndexes.find(
    ({ columns, present }) => columns[0] === first[0] && present.every((field) => excludesNull(where, field)),
  );
  if (partial) return new Set([first[0], ...partial.present]);
  if (first[1] !== 'in') return null;
  const fields = new Set(others.flatMap((condition) => (isFieldCondition(condition) ? [condition[0]] : [])));
  const covering = [...table.indexes, ...table.unique]
    .filter(([field]) => field === first[0])
    .map((columns) => {
      const end = columns.findIndex((field, position) => position > 0 && !fields.has(field));
      return end < 0 ? columns : columns.slice(0, end);
    });
  const longest = covering.reduce((best, columns) => (columns.length > best.length ? columns : best), []);
  return new Set([first[0], ...longest]);
}

function fieldExpression(
  { conditionSyntax }: Dialect,
  table: TableDescription,
  [field, comparison, value]: FieldCondition,
  indexed: ReadonlySet<string> | null,
  slots: Slots,
): Expression<SqlBool> {
  const column = columnOf(table, field);
  const name = sql.id(field);
  const operand = indexed && !indexed.has(field) ? conditionSyntax.unindexed(name) : name;
  if (comparison === 'in') {
    const values = value as readonly unknown[];
    if (values.length === 0) return sql<SqlBool>`false`;
    if (isSingle(values)) return sql<SqlBool>`${operand} = ${slots.next()}`;
    return conditionSyntax.isIn(operand, column, slots.next());
  }
  if (value === null) {
    if (comparison === '=') return sql<SqlBool>`${operand} is null`;
    return comparison === '!=' ? sql<SqlBool>`${operand} is not null` : sql<SqlBool>`false`;
  }
  const operator = comparison === '!=' && column.nullable ? 'is distinct from' : comparison;
  return sql<SqlBool>`${operand} ${sql.raw(operator)} ${slots.next()}`;
}

/** One column of an order, with its direction. */
type OrderTerm = readonly [column: string, direction: OrderByModifiersCallbackExpression];

/**
 * Returns the terms of an order, with the id as tie-break. Asks for `nulls last` only where nulls can occur, because it
 * keeps indexes from being used.
 */
export function orderTerms(table: TableDescription, order: Order, where: Where): OrderTerm[] {
  const idPosition = order.findIndex(([field]) => field === 'id');
  const terms = idPosition < 0 ? [...order, ['id', 'asc'] as const] : order.slice(0, idPosition + 1);
  return terms.map(([field, direction]) => {
    const nullsOccur = plainColumnOf(table, field).nullable && !excludesNull(where, field);
    return [
      field,
      (modifiers) => {
        const directed = direction === 'asc' ? modifiers.asc() : modifiers.desc();
        return nullsOccur ? directed.nullsLast() : directed;
      },
    ];
  });
}

/** Returns what the text of an order depends on, beyond the conditions. */
export function orderShape(order: Order): string {
  let shape = '';
  for (const [field, direction] of order) shape += ` ${field} ${direction}`;
  return shape;
}

function excludesNull(where: Where, field: string): boolean {
  return where.some(
    (condition) =>
      isFieldCondition(condition) && condition[0] === field && (condition[1] === '!=') === (condition[2] === null),
  );
}
