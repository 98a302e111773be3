import type { HorariumError, TableDescription } from '@horarium/core';
import { type ForeignKey, pointsNowhere, referredTo, taken } from '@horarium/core/store';
import { foreignKeyName } from './constraint-names.ts';
import { type ColumnValues, type Dialect, quoted, type SqlExecutor } from './sql-dialect.ts';
import { SqlText } from './sql-text.ts';

/** The foreign keys of a store, and the dialect that reports their violations. */
export interface Constraints {
  readonly dialect: Dialect;
  readonly foreignKeys: readonly ForeignKey[];
}

/** The statement that failed: rows that were to be written, or the condition of rows that were to be deleted. */
type FailedStatement =
  | readonly ColumnValues[]
  | { readonly condition: string; readonly parameters: readonly unknown[] };

/** The conflict that a failed statement violated, with a sentence; undefined when it failed for another reason. */
export async function constraintViolation(
  { dialect, foreignKeys }: Constraints,
  runner: SqlExecutor,
  table: TableDescription,
  error: unknown,
  attempt: FailedStatement,
): Promise<HorariumError | undefined> {
  const violation = dialect.violation(error, table);
  if (!violation) return undefined;
  if (violation.rule === 'unique') return taken(table, violation.fields ?? ['id']);
  const deleting = 'condition' in attempt;
  const candidates = foreignKeys.filter((key) => (deleting ? key.to : key.from).table === table.table);
  for (const key of candidates) {
    const violated = violation.constraint
      ? foreignKeyName(key.from, key.column.name) === violation.constraint
      : await isViolated(dialect, runner, key, attempt);
    if (violated) return deleting ? referredTo(key) : pointsNowhere(key);
  }
  return undefined;
}

/** Finds out whether this foreign key was violated, for a database that does not say which one was. */
async function isViolated(
  dialect: Dialect,
  runner: SqlExecutor,
  key: ForeignKey,
  attempt: FailedStatement,
): Promise<boolean> {
  const text = new SqlText(dialect, key.to);
  if ('condition' in attempt) {
    const sql = `select 1 from ${quoted(key.from.table)} where ${quoted(key.column.name)} in (select "id" from ${quoted(key.to.table)}${attempt.condition}) limit 1`;
    return (await runner.run(sql, attempt.parameters)).rows.length > 0;
  }
  const ids = new Set(attempt.map((row) => row[key.column.name]).filter((id) => id !== null && id !== undefined));
  const where = text.where([['id', 'in', [...ids]]]);
  const { rows } = await runner.run(`select "id" from ${quoted(key.to.table)}${where}`, text.parameters);
  return rows.length < ids.size;
}
