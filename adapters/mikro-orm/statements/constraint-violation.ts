import type { HorariumError, TableDescription, Where } from '@horarium/core';
import {
  danglingReference,
  type ForeignKey,
  referencedByUnloaded,
  stillReferenced,
  uniqueViolation,
} from '@horarium/core/store';
import { sql } from 'kysely';
import type { ColumnValues, SqlContext, SqlTransaction } from '../dialect.ts';
import { foreignKeyName } from '../schema/constraint-names.ts';
import { bindWhere, whereExpression } from './conditions.ts';
import { Binding } from './statement.ts';

/** The statement that failed: the rows that it writes, or the condition of the rows that it deletes. */
export type FailedStatement = readonly ColumnValues[] | { readonly where: Where };

/** Returns the conflict that made a statement fail; undefined when it failed for another reason. */
export async function constraintViolation(
  context: SqlContext,
  transaction: SqlTransaction,
  table: TableDescription,
  error: unknown,
  statement: FailedStatement,
): Promise<HorariumError | undefined> {
  const violation = context.dialect.violation(error, table);
  if (!violation) return undefined;
  if (violation.rule === 'unique') return uniqueViolation(table, violation.fields ?? ['id']);
  const deleting = 'where' in statement;
  const candidates = context.foreignKeys.filter((key) => (deleting ? key.to : key.from).table === table.table);
  for (const key of candidates) {
    const violated = violation.constraint
      ? foreignKeyName(key.from, key.column.name) === violation.constraint
      : await isViolated(context, transaction, key, statement);
    if (violated) return deleting ? stillReferenced(key) : danglingReference(key);
  }
  return deleting ? referencedByUnloaded(table) : undefined;
}

/** Finds out whether this foreign key was violated, for a database that does not say which one was. */
async function isViolated(
  { dialect, statements }: SqlContext,
  transaction: SqlTransaction,
  { from, column, to }: ForeignKey,
  statement: FailedStatement,
): Promise<boolean> {
  const deleting = 'where' in statement;
  const ids = deleting ? [] : [...new Set(statement.map((row) => row[column.name]))].filter((id) => id != null);
  const where: Where = deleting ? statement.where : [['id', 'in', ids as number[]]];
  const binding = new Binding(deleting ? `referrers ${from.table} ${column.name} where` : 'ids where');
  bindWhere(binding, dialect, to, where);
  const { sql: text, parameters } = statements.bind(to, binding, (builder, slots) => {
    const select = builder
      .selectFrom(to.table)
      .select('id')
      .where(whereExpression(dialect, to, where, slots));
    if (!deleting) return select;
    return builder
      .selectFrom(from.table)
      .select(sql`1`.as('one'))
      .where(column.name, 'in', select)
      .limit(sql<number>`1`);
  });
  const { rows } = await transaction.run(text, parameters);
  return deleting ? rows.length > 0 : rows.length < ids.length;
}
