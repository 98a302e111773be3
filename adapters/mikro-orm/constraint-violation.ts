import type { HorariumError, TableDescription } from '@horarium/core';
import { danglingReference, type ForeignKey, stillReferenced, uniqueViolation } from '@horarium/core/store';
import { foreignKeyName } from './constraint-names.ts';
import { type ColumnValues, type Dialect, quoted, type SqlTransaction } from './sql-dialect.ts';
import { SqlText } from './sql-text.ts';

/** The foreign keys of a store, and the dialect that reports their violations. */
export interface Constraints {
  readonly dialect: Dialect;
  readonly foreignKeys: readonly ForeignKey[];
}

/** The statement that failed: the rows that it writes, or the condition of the rows that it deletes. */
type FailedStatement =
  | readonly ColumnValues[]
  | { readonly condition: string; readonly parameters: readonly unknown[] };

/** Returns the conflict that made a statement fail; undefined when it failed for another reason. */
export async function constraintViolation(
  { dialect, foreignKeys }: Constraints,
  transaction: SqlTransaction,
  table: TableDescription,
  error: unknown,
  statement: FailedStatement,
): Promise<HorariumError | undefined> {
  const violation = dialect.violation(error, table);
  if (!violation) return undefined;
  if (violation.rule === 'unique') return uniqueViolation(table, violation.fields ?? ['id']);
  const deleting = 'condition' in statement;
  const candidates = foreignKeys.filter((key) => (deleting ? key.to : key.from).table === table.table);
  for (const key of candidates) {
    const violated = violation.constraint
      ? foreignKeyName(key.from, key.column.name) === violation.constraint
      : await isViolated(dialect, transaction, key, statement);
    if (violated) return deleting ? stillReferenced(key) : danglingReference(key);
  }
  return undefined;
}

/** Finds out whether this foreign key was violated, for a database that does not say which one was. */
async function isViolated(
  dialect: Dialect,
  transaction: SqlTransaction,
  key: ForeignKey,
  statement: FailedStatement,
): Promise<boolean> {
  const text = new SqlText(dialect, key.to);
  if ('condition' in statement) {
    const sql = `select 1 from ${quoted(key.from.table)} where ${quoted(key.column.name)} in (select "id" from ${quoted(key.to.table)}${statement.condition}) limit 1`;
    return (await transaction.run(sql, statement.parameters)).rows.length > 0;
  }
  const ids = new Set(statement.map((row) => row[key.column.name]).filter((id) => id !== null && id !== undefined));
  const where = text.where([['id', 'in', [...ids]]]);
  const { rows } = await transaction.run(`select "id" from ${quoted(key.to.table)}${where}`, text.parameters);
  return rows.length < ids.size;
}
