import type { FieldRow, Instant, TableDescription } from '@horarium/core';
import type { StoredRow } from '@horarium/core/store';

export interface Answer {
  readonly rows: Record<string, unknown>[];
  /** How many rows a statement wrote or deleted. */
  readonly affected: number;
}

/** Runs SQL with bound parameters inside one open transaction. */
export interface Runner {
  run(sql: string, parameters: readonly unknown[]): Answer | Promise<Answer>;
  /** Names the state of the database that the transaction, which only reads, sees. */
  state(): Promise<string>;
  /** The time, where it has come with something else. */
  readonly time?: Instant | undefined;
}

/** Values of one row, checked by the store's rules for values. */
export type Values = Readonly<Record<string, unknown>>;

/** One row to change: its id, the revision it must be at where the table has those, and the new values. */
export interface Write {
  readonly id: number;
  readonly revision: number | null;
  readonly values: Values;
}

/** What a database says a rule was broken by; which reference it was is not always told. */
export type Violation =
  | { readonly rule: 'unique'; readonly fields: readonly string[] | undefined }
  | { readonly rule: 'reference'; readonly constraint: string | undefined };

/** What of SQL differs between the databases. */
export interface Dialect {
  readonly kind: 'sqlite' | 'postgresql';
  placeholder(position: number): string;
  /** A value of that column as a parameter. */
  parameter(column: FieldRow, value: unknown): unknown;
  /** The named column is in a list, given as one parameter, so that the text does not depend on how long it is. */
  isIn(name: string, column: FieldRow, placeholder: string): string;
  /** The name of a column in a condition that no index is to be searched for. */
  unsearched(name: string): string;
  /** The place of a number of rows, in a limit or an offset. */
  amount(placeholder: string): string;
  listParameter(column: FieldRow, values: readonly unknown[]): unknown;
  /** The operator for "is another value or null". */
  readonly differs: string;
  /** The direction in which nulls would come first if nothing were said about them. */
  readonly nullsFirst: 'asc' | 'desc';
  /** What stands for "all" where an offset needs a limit. */
  readonly unlimited: string;
  lockClause(lock: 'wait' | 'skip'): string;
  /** Turns a row as the driver gives it into a row of the store, in place. */
  decode(table: TableDescription, row: Record<string, unknown>): StoredRow;
  now(runner: Runner): Promise<Instant>;
  tryLock(runner: Runner, name: string): Promise<boolean>;
  /** Inserts rows in order; leaves out those whose key is taken when a key is given. @returns those inserted. */
  insert(
    runner: Runner,
    table: TableDescription,
    rows: readonly Values[],
    key?: readonly string[],
  ): Promise<Inserted[]>;
  /** Writes the same columns of several rows. @returns the ids that were written, in any order. */
  update(
    runner: Runner,
    table: TableDescription,
    columns: readonly FieldRow[],
    writes: readonly Write[],
  ): Promise<number[]>;
  violation(error: unknown, table: TableDescription): Violation | undefined;
}

/** A new row: its id and, where a key was given, the values of that key. */
export type Inserted = Readonly<Record<string, unknown>> & { readonly id: number };

/** The bytes of a driver's buffer as a plain array, not copied. */
export function plainBytes(buffer: Buffer): Uint8Array {
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength);
}

/** The name of a table or a column, as a statement takes it. */
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

/** The columns that are written when a row is inserted: all but its id. */
export function writtenColumns(table: TableDescription): readonly FieldRow[] {
  let columns = written.get(table);
  if (!columns) {
    columns = table.columns.filter((column) => column.name !== 'id');
    written.set(table, columns);
  }
  return columns;
}
const written = new WeakMap<TableDescription, readonly FieldRow[]>();
