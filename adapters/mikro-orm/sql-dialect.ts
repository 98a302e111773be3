import { type FieldDescription, type Instant, memoized, type TableDescription } from '@horarium/core';
import type { AnyRow } from '@horarium/core/store';

export interface SqlResult {
  readonly rows: Record<string, unknown>[];
  /** The number of rows that the statement inserted, updated or deleted. */
  readonly affected: number;
}

/** One open transaction of a driver, which executes SQL with bound parameters. */
export interface SqlTransaction {
  run(sql: string, parameters: readonly unknown[]): SqlResult | Promise<SqlResult>;
  /** Names the snapshot that a read-only transaction sees, as `Tables.state` does. */
  state(): Promise<string>;
  /** The time by the clock of the store, where a statement that was run for something else has returned it too. */
  readonly time?: Instant | undefined;
}

/** The values of one row by column, validated by the store. */
export type ColumnValues = Readonly<Record<string, unknown>>;

/** One row to update: its id, the revision it must have (null in tables without revisions), and the new values. */
export interface RowUpdate {
  readonly id: number;
  readonly revision: number | null;
  readonly values: ColumnValues;
}

/** The constraint that a statement violated; SQLite does not say which foreign key it was. */
export type Violation =
  | { readonly rule: 'unique'; readonly fields: readonly string[] | undefined }
  | { readonly rule: 'reference'; readonly constraint: string | undefined };

/** The differences between the SQL of the databases. */
export interface Dialect {
  readonly kind: 'sqlite' | 'postgresql';
  placeholder(position: number): string;
  /** Converts a value of a column into a parameter. */
  parameter(column: FieldDescription, value: unknown): unknown;
  /**
   * Writes the condition that a column has one of the values of a list. The list is bound as one parameter, so that the
   * text does not depend on its length.
   */
  isIn(name: string, column: FieldDescription, placeholder: string): string;
  /** Writes the name of a column in a condition for which the planner must not choose an index. */
  unindexed(name: string): string;
  /** Writes the placeholder of the parameter of a limit or an offset. */
  limitPlaceholder(placeholder: string): string;
  /** Converts the values of a list into the one parameter of `isIn`. */
  listParameter(column: FieldDescription, values: readonly unknown[]): unknown;
  /** The operator `is distinct from`. */
  readonly isDistinctFrom: string;
  /** The direction of an order in which nulls come first by default. */
  readonly nullsFirstDirection: 'asc' | 'desc';
  /** The limit clause that an offset needs in a query without a limit. */
  readonly unlimitedClause: string;
  /** Writes the clause that locks the selected rows: `wait` waits for rows that are locked, `skip` leaves them out. */
  lockClause(lock: 'wait' | 'skip'): string;
  /** Converts a row of the driver into a row of the store, in place. */
  decode(table: TableDescription, row: Record<string, unknown>): AnyRow;
  /** Reads the clock of the store. */
  now(transaction: SqlTransaction): Promise<Instant>;
  /** Acquires an advisory lock until the transaction ends; false at once when another transaction has it. */
  tryLock(transaction: SqlTransaction, name: string): Promise<boolean>;
  /** Inserts rows in order; with a key, skips rows whose key exists. @returns the inserted ones. */
  insert(
    transaction: SqlTransaction,
    table: TableDescription,
    rows: readonly ColumnValues[],
    key?: readonly string[],
  ): Promise<InsertedRow[]>;
  /** Updates the same columns of several rows. @returns the ids of the updated rows, in any order. */
  update(
    transaction: SqlTransaction,
    table: TableDescription,
    columns: readonly FieldDescription[],
    updates: readonly RowUpdate[],
  ): Promise<number[]>;
  /** Returns the constraint that an error of the driver reports as violated; undefined for any other error. */
  violation(error: unknown, table: TableDescription): Violation | undefined;
}

/** The id of an inserted row and, where a key was given, the values of that key. */
export type InsertedRow = Readonly<Record<string, unknown>> & { readonly id: number };

/** Views a driver's buffer as a plain byte array, without copying it. */
export function plainBytes(buffer: Buffer): Uint8Array {
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength);
}

/** Quotes the name of a table or a column. */
export function quoted(name: string): string {
  let text = quotedNames.get(name);
  if (text === undefined) {
    text = `"${name.replaceAll('"', '""')}"`;
    quotedNames.set(name, text);
  }
  return text;
}
const quotedNames = new Map<string, string>();

export function quotedList(names: readonly string[]): string {
  return names.map(quoted).join(', ');
}

/** Returns the columns of an insert: all but the id, which the database assigns. */
export const insertColumns = memoized(({ columns }: TableDescription): readonly FieldDescription[] =>
  columns.filter((column) => column.name !== 'id'),
);
