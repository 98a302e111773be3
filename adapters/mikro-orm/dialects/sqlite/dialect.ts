import { type FieldDescription, type Instant, memoized, type TableDescription } from '@horarium/core';
import { type AnyRow, jsonText } from '@horarium/core/store';
import {
  type ColumnValues,
  type Dialect,
  type InsertedRow,
  insertColumns,
  plainBytes,
  quoted,
  quotedList,
  type RowUpdate,
  type SqlTransaction,
  type Violation,
} from '../../sql-dialect.ts';

/**
 * Stores booleans and times as integers, structured data as JSON text, bytes as blobs. Writes many rows by one prepared
 * statement that runs once for each: without round trips that measured faster (5 ms for 1,000 rows) than one statement
 * over a JSON list or many VALUES (9 ms).
 */
export class SqliteDialect implements Dialect {
  readonly kind = 'sqlite';
  readonly isDistinctFrom = 'is not';
  readonly nullsFirstDirection = 'asc';
  readonly unlimitedClause = ' limit -1';
  readonly #now: () => Instant;

  constructor(now: () => Instant) {
    this.#now = now;
  }

  placeholder(): string {
    return '?';
  }

  parameter(column: FieldDescription, value: unknown): unknown {
    if (value === null) return null;
    if (column.kind === 'flag') return value ? 1 : 0;
    return column.kind === 'json' || column.kind === 'texts' || column.kind === 'references' ? jsonText(value) : value;
  }

  /**
   * Disables indexes by a unary plus. Without statistics SQLite takes a state for as selective as a list of ids, and
   * would read all rows in that state.
   */
  unindexed(name: string): string {
    return `+${name}`;
  }

  /**
   * Hides the value from the planner by a unary plus. The planner otherwise compiles the statement again for each value
   * bound to a limit: 30 µs, where reading one row takes 3 µs.
   */
  limitPlaceholder(placeholder: string): string {
    return `+${placeholder}`;
  }

  isIn(name: string, _column: FieldDescription, placeholder: string): string {
    return `${name} in (select "value" from json_each(${placeholder}))`;
  }

  listParameter(column: FieldDescription, values: readonly unknown[]): unknown {
    return JSON.stringify(values.map((value) => this.parameter(column, value)));
  }

  /** Returns an empty clause, because a transaction that writes locks the whole file. */
  lockClause(): string {
    return '';
  }

  decode(table: TableDescription, row: Record<string, unknown>): AnyRow {
    for (const [name, decoder] of decodersOf(table)) {
      const value = row[name];
      if (value !== null && value !== undefined) row[name] = decoder(value);
    }
    return row as AnyRow;
  }

  async now(): Promise<Instant> {
    return this.#now();
  }

  /** Always succeeds, because a transaction that writes locks the whole file. */
  async tryLock(): Promise<boolean> {
    return true;
  }

  async insert(
    transaction: SqlTransaction,
    table: TableDescription,
    rows: readonly ColumnValues[],
    key?: readonly string[],
  ): Promise<InsertedRow[]> {
    const columns = insertColumns(table);
    const names = quotedList(columns.map(({ name }) => name));
    const onConflict = key ? ` on conflict (${quotedList(key)}) do nothing` : '';
    const sql = `insert into ${quoted(table.table)} (${names}) values (${columns.map(() => '?').join(', ')})${onConflict} returning ${quotedList(['id', ...(key ?? [])])}`;
    const inserted: InsertedRow[] = [];
    for (const row of rows) {
      const answer = await transaction.run(
        sql,
        columns.map((column) => this.parameter(column, row[column.name])),
      );
      const [first] = answer.rows;
      if (first) inserted.push(this.decode(table, first));
    }
    return inserted;
  }

  async update(
    transaction: SqlTransaction,
    table: TableDescription,
    columns: readonly FieldDescription[],
    writes: readonly RowUpdate[],
  ): Promise<number[]> {
    const hasRevision = writes[0]?.revision !== null;
    const set = columns.length > 0 ? columns.map(({ name }) => `${quoted(name)} = ?`).join(', ') : '"id" = "id"';
    const sql = `update ${quoted(table.table)} set ${set} where "id" = ?${hasRevision ? ' and "revision" = ?' : ''}`;
    const updatedIds: number[] = [];
    for (const { id, revision, values } of writes) {
      const parameters = columns.map((column) => this.parameter(column, values[column.name]));
      const { affected } = await transaction.run(
        sql,
        hasRevision ? [...parameters, id, revision] : [...parameters, id],
      );
      if (affected > 0) updatedIds.push(id);
    }
    return updatedIds;
  }

  violation(error: unknown, table: TableDescription): Violation | undefined {
    const { code, message } = error as { code?: string; message: string };
    if (code === 'SQLITE_CONSTRAINT_UNIQUE') {
      const columns = message.replace(/^.*: /, '').split(', ');
      return { rule: 'unique', fields: columns.map((column) => column.replace(`${table.table}.`, '')) };
    }
    const reference = code === 'SQLITE_CONSTRAINT_FOREIGNKEY' || /FOREIGN KEY constraint failed/.test(message);
    return reference ? { rule: 'reference', constraint: undefined } : undefined;
  }
}

type Decoder = (value: unknown) => unknown;
const decoders: Partial<Record<FieldDescription['kind'], Decoder>> = {
  flag: (value) => value === 1,
  json: parseJson,
  texts: parseJson,
  references: parseJson,
  binary: (value) => plainBytes(value as Buffer),
};

/** Parses stored JSON; empty values, which most are, skip the parser. */
function parseJson(value: unknown): unknown {
  if (value === '[]') return [];
  return value === '{}' ? {} : JSON.parse(value as string);
}

const decodersOf = memoized(({ columns }: TableDescription) =>
  columns.flatMap(({ name, kind }) => {
    const decoder = decoders[kind];
    return decoder ? [[name, decoder] as const] : [];
  }),
);
