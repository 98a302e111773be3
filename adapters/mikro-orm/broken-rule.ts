import type { HorariumError, TableDescription } from '@horarium/core';
import { type ForeignKey, pointsNowhere, referredTo, taken } from '@horarium/core/store';
import { foreignKeyName } from './constraint-names.ts';
import { type Dialect, quoted, type Runner, type Values } from './sql-dialect.ts';
import { SqlText } from './sql-text.ts';

/** What one database enforces among the tables of a store. */
export interface Rules {
  readonly dialect: Dialect;
  readonly foreignKeys: readonly ForeignKey[];
}

/** What a failed statement wanted: to write those rows, or to delete what matches. */
type Attempt = readonly Values[] | { readonly condition: string; readonly parameters: readonly unknown[] };

/** The conflict that made a statement fail, in words; undefined when it failed for another reason. */
export async function brokenRule(
  { dialect, foreignKeys }: Rules,
  runner: Runner,
  table: TableDescription,
  error: unknown,
  attempt: Attempt,
): Promise<HorariumError | undefined> {
  const violation = dialect.violation(error, table);
  if (!violation) return undefined;
  if (violation.rule === 'unique') return taken(table, violation.fields ?? ['id']);
  const deleting = 'condition' in attempt;
  const candidates = foreignKeys.filter((key) => (deleting ? key.to : key.from).table === table.table);
  for (const key of candidates) {
    const broken = violation.constraint
      ? foreignKeyName(key.from, key.column.name) === violation.constraint
      : await breaks(dialect, runner, key, attempt);
    if (broken) return deleting ? referredTo(key) : pointsNowhere(key);
  }
  return undefined;
}

/** Asks a database that does not tell which reference was broken whether it was this one. */
async function breaks(dialect: Dialect, runner: Runner, key: ForeignKey, attempt: Attempt): Promise<boolean> {
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
