import type { FieldDescription, Instant, TableDescription } from '@horarium/core';
import { type AnyRow, jsonText } from '@horarium/core/store';
import { columnTypes } from '../../column-types.ts';
import { uniqueName } from '../../constraint-names.ts';
import {
  type ColumnValues,
  type Dialect,
  type InsertedRow,
  insertColumns,
  quoted,
  quotedList,
  type RowUpdate,
  type SqlTransaction,
  type Violation,
} from '../../sql-dialect.ts';

// Limits the size of a statement: it is one message, which both sides hold in memory as a whole.
const maxRowsPerStatement = 5000;

/**
 * Sends many rows as one JSON parameter that the server expands into a record set, so that the text of the statement
 * does not depend on their number and its plan stays cached.
 */
export class PostgresDialect implements Dialect {
  readonly kind = 'postgresql';
  readonly isDistinctFrom = 'is distinct from';
  readonly nullsFirstDirection = 'desc';
  readonly unlimitedClause = '';

  placeholder(position: number): string {
    return `$${position}`;
  }

  parameter({ kind }: FieldDescription, value: unknown): unknown {
    if (value === null) return null;
    if (kind === 'instant') return new Date(value as Instant).toISOString();
    return kind === 'json' || kind === 'texts' || kind === 'references' ? jsonText(value) : value;
  }

  /** Returns the name unchanged, because PostgreSQL chooses indexes by statistics. */
  unindexed(name: string): string {
    return name;
  }

  limitPlaceholder(placeholder: string): string {
    return placeholder;
  }

  isIn(name: string, column: FieldDescription, placeholder: string): string {
    return `${name} = any(${placeholder}::${columnTypes.postgresql[column.kind]}[])`;
  }

  listParameter(column: FieldDescription, values: readonly unknown[]): unknown {
    return values.map((value) => this.parameter(column, value));
  }

  /**
   * Locks with `for no key update`, because ids never change and `for update` would block inserts that refer to the
   * row.
   */
  lockClause(lock: 'wait' | 'skip'): string {
    return lock === 'skip' ? ' for no key update skip locked' : ' for no key update';
  }

  /** Converts nothing, because the type parsers of the pool have done it. */
  decode(_: TableDescription, row: Record<string, unknown>): AnyRow {
    return row as AnyRow;
  }

  async now(transaction: SqlTransaction): Promise<Instant> {
    if (transaction.time !== undefined) return transaction.time;
    const { rows } = await transaction.run('select clock_timestamp() as "now"', []);
    return rows[0]?.['now'] as Instant;
  }

  async tryLock(transaction: SqlTransaction, name: string): Promise<boolean> {
    const sql = 'select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as "got"';
    return (await transaction.run(sql, [`horarium:${name}`])).rows[0]?.['got'] === true;
  }

  async insert(
    transaction: SqlTransaction,
    table: TableDescription,
    rows: readonly ColumnValues[],
    key?: readonly string[],
  ): Promise<InsertedRow[]> {
    const columns = insertColumns(table);
    const names = quotedList(columns.map(({ name }) => name));
    const into = `insert into ${quoted(table.table)} (${names})`;
    const onConflict = key ? ` on conflict (${quotedList(key)}) do nothing` : '';
    const returning = `${onConflict} returning ${quotedList(['id', ...(key ?? [])])}`;
    const [only] = rows;
    if (only && rows.length === 1) {
      const placeholders = columns.map((_, index) => `$${index + 1}`).join(', ');
      const parameters = columns.map((column) => this.parameter(column, only[column.name]));
      const { rows: inserted } = await transaction.run(`${into} values (${placeholders})${returning}`, parameters);
      return inserted.map((row) => this.decode(table, row));
    }
    const sql = `${into} select ${names} from ${recordSet(columns)} order by "position"${returning}`;
    const inserted: InsertedRow[] = [];
    for (let start = 0; start < rows.length; start += maxRowsPerStatement) {
      const batch = rows.slice(start, start + maxRowsPerStatement).map((row) => this.#jsonRow(columns, row));
      const answer = await transaction.run(sql, [`[${batch.join()}]`]);
      // Ids ascend in the order of the rows; the order of `returning` is not guaranteed.
      inserted.push(...answer.rows.map((row) => this.decode(table, row)).sort((a, b) => a.id - b.id));
    }
    return inserted;
  }

  async update(
    transaction: SqlTransaction,
    table: TableDescription,
    columns: readonly FieldDescription[],
    writes: readonly RowUpdate[],
  ): Promise<number[]> {
    const [only] = writes;
    if (only && writes.length === 1) return this.#updateOne(transaction, table, columns, only);
    const ids = table.columns.filter(({ name }) => name === 'id');
    const hasRevision = writes[0]?.revision !== null;
    const set =
      columns.length > 0
        ? columns.map(({ name }) => `${quoted(name)} = "new".${quoted(name)}`).join(', ')
        : '"id" = "old"."id"';
    const sameRevision = hasRevision ? ' and "old"."revision" = "new"."#revision"' : '';
    const extra = hasRevision ? [['#revision', 'bigint'] as const] : [];
    const sql = `update ${quoted(table.table)} as "old" set ${set} from ${recordSet([...ids, ...columns], extra, 'new')} where "old"."id" = "new"."id"${sameRevision} returning "old"."id"`;
    const updatedIds: number[] = [];
    for (let start = 0; start < writes.length; start += maxRowsPerStatement) {
      const batch = writes.slice(start, start + maxRowsPerStatement).map(({ id, revision, values }) => {
        const rest = columns.length > 0 ? `,${this.#jsonRow(columns, values).slice(1)}` : '}';
        return hasRevision ? `{"id":${id},"#revision":${revision}${rest}` : `{"id":${id}${rest}`;
      });
      const { rows } = await transaction.run(sql, [`[${batch.join()}]`]);
      for (const row of rows) updatedIds.push(this.decode(table, row).id);
    }
    return updatedIds;
  }

  async #updateOne(
    transaction: SqlTransaction,
    table: TableDescription,
    columns: readonly FieldDescription[],
    { id, revision, values }: RowUpdate,
  ): Promise<number[]> {
    const set =
      columns.length > 0
        ? columns.map(({ name }, index) => `${quoted(name)} = $${index + 1}`).join(', ')
        : '"id" = "id"';
    const parameters: unknown[] = [...columns.map((column) => this.parameter(column, values[column.name])), id];
    let where = `"id" = $${parameters.length}`;
    if (revision !== null) where += ` and "revision" = $${parameters.push(revision)}`;
    const { affected } = await transaction.run(`update ${quoted(table.table)} set ${set} where ${where}`, parameters);
    return affected > 0 ? [id] : [];
  }

  /** Writes a row as a JSON object of the record set. */
  #jsonRow(columns: readonly FieldDescription[], row: ColumnValues): string {
    return `{${columns.map((column) => `"${column.name}":${this.#jsonValue(column, row[column.name])}`).join()}}`;
  }

  #jsonValue(column: FieldDescription, value: unknown): string {
    if (value === null) return 'null';
    if (value instanceof Uint8Array)
      return `"\\\\x${Buffer.from(value.buffer, value.byteOffset, value.length).toString('hex')}"`;
    const parameter = this.parameter(column, value);
    const isJson = column.kind === 'json' || column.kind === 'texts' || column.kind === 'references';
    return isJson ? (parameter as string) : JSON.stringify(parameter);
  }

  violation(error: unknown, table: TableDescription): Violation | undefined {
    const { code, constraint } = error as { code?: string; constraint?: string };
    if (code === '23505')
      return { rule: 'unique', fields: table.unique.find((group) => uniqueName(table, group) === constraint) };
    return code === '23503' || code === '23001' ? { rule: 'reference', constraint } : undefined;
  }
}

/** Writes the record set of the first parameter, a JSON array of objects, with `position`, the row's number. */
function recordSet(
  columns: readonly FieldDescription[],
  extra: readonly (readonly [string, string])[] = [],
  alias = 'rows',
): string {
  const pairs = [...columns.map(({ name, kind }) => [name, columnTypes.postgresql[kind]] as const), ...extra];
  const typed = pairs.map(([name, type]) => `${quoted(name)} ${type}`).join(', ');
  const names = quotedList([...pairs.map(([name]) => name), 'position']);
  return `rows from (json_to_recordset($1::json) as (${typed})) with ordinality as ${quoted(alias)} (${names})`;
}
