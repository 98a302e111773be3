import { type FieldDescription, type Instant, memoized, type Steps, type TableDescription } from '@horarium/core';
import type { AnyRow, ForeignKey, StoredSetting } from '@horarium/core/store';
import type { Configuration } from '@mikro-orm/core';
import type { AbstractSqlConnection, AbstractSqlDriver } from '@mikro-orm/sql';
import type { AliasedExpression, Driver, Expression, Dialect as KyselyDialect, RawBuilder, SqlBool } from 'kysely';
import type { Slot, Slots, StatementCache } from './statements/statement.ts';

export interface SqlResult {
  readonly rows: Record<string, unknown>[];
  /** The number of rows that a statement wrote or deleted. */
  readonly affected: number;
  /** The id of the row that an `insert` wrote, if the driver tells it. */
  readonly insertedId?: number | undefined;
}

/** One open transaction of a driver, which executes SQL with bound parameters. */
export interface SqlTransaction {
  run(sql: string, parameters: readonly unknown[]): SqlResult | Promise<SqlResult>;
  /** Reads the clock of the store. */
  now(): Promise<Instant>;
  /** Takes what a transaction that writes needs from its start, where the database does not take it at the begin. */
  beforeWrite?(): Promise<void>;
  /** Lets the commit return before the disk has it. @default it waits */
  commitAsynchronously?(): void;
  /** Acquires the named lock until the transaction ends; false at once when another transaction has it. */
  tryLock(name: string): Promise<boolean>;
  /** As `Session.settings`. */
  settings?(names: readonly string[]): readonly StoredSetting[] | Promise<readonly StoredSetting[]>;
}

/** The values of one row by column, validated by the store. */
export type ColumnValues = Readonly<Record<string, unknown>>;

/** The id of an inserted row and, where a key was given, the values of that key. */
export type InsertedRow = Readonly<Record<string, unknown>> & { readonly id: number };

/** One row to update: its id, the revision it must have (null in tables without revisions), and the new values. */
export interface RowUpdate {
  readonly id: number;
  readonly revision: number | null;
  readonly values: ColumnValues;
}

/** The constraint that a database reports as violated; SQLite does not say which foreign key it was. */
export type Violation =
  | { readonly rule: 'unique'; readonly fields: readonly string[] | undefined }
  | { readonly rule: 'reference'; readonly constraint: string | undefined };

/** Converts values between the store and the driver of a database. */
export interface ValueCodec {
  /** Converts a value of a column into a parameter. */
  encode(column: FieldDescription, value: unknown): unknown;
  /** Converts a list of values of a column into one parameter, so that the text does not depend on its length. */
  encodeList(column: FieldDescription, values: readonly unknown[]): unknown;
  /** Converts a row of the driver into a row of the store, in place. */
  decode(table: TableDescription, row: Record<string, unknown>): AnyRow;
}

/** The conditions that Kysely cannot write for every database. */
export interface ConditionSyntax {
  /** Requires that a column has one of the values of a list, which is bound as one parameter. */
  isIn(operand: Expression<unknown>, column: FieldDescription, list: Slot): Expression<SqlBool>;
  /** Names a column in a condition for which the planner must not choose an index. */
  unindexed(operand: Expression<unknown>): Expression<unknown>;
}

/** Writes in which steps of time the values of a column lie. */
export interface StepSyntax {
  /** Returns the values that `text` binds. */
  values(column: FieldDescription, steps: Steps): readonly unknown[];
  /**
   * Aggregates the steps of the rows of a group, whose values lie in steps, as a text: a character for each row, whose code is
   * `firstStepCode` for the first step and so on.
   */
  text(column: FieldDescription, slots: Slots): RawBuilder<unknown>;
}

/** Writes many rows in as few round trips as the database needs. */
export interface BulkWrites {
  /** Inserts rows in order; with a key, skips rows whose key exists. @returns the inserted ones, in the order given. */
  insert(
    transaction: SqlTransaction,
    table: TableDescription,
    rows: readonly ColumnValues[],
    key?: readonly string[],
  ): Promise<InsertedRow[]>;
  /** Inserts rows under the ids that they have. */
  insertWithIds(transaction: SqlTransaction, table: TableDescription, rows: readonly ColumnValues[]): Promise<void>;
  /** Updates the same columns of several rows. @returns the ids of the updated rows, in any order. */
  update(
    transaction: SqlTransaction,
    table: TableDescription,
    columns: readonly FieldDescription[],
    writes: readonly RowUpdate[],
  ): Promise<number[]>;
}

/** The SQL type of a column, by the kind of its field. */
export type ColumnTypes = Readonly<Record<FieldDescription['kind'], string>>;

/** The sequence of a table, which its ids come from. */
export interface IdSequences {
  /** Reads the last id that a table has assigned; 0 = it has assigned none. */
  last(transaction: SqlTransaction, table: string): Promise<number>;
  /** @param id the last id that counts as assigned; at least 1. */
  set(transaction: SqlTransaction, table: string, id: number): Promise<void>;
}

/** What the schema of a database is written in. */
export interface SchemaSyntax {
  readonly columnTypes: ColumnTypes;
  /** The collation that compares text by bytes; left out where the database does so by itself. */
  readonly textCollation?: string;
  /**
   * Writes the body of a trigger that rejects the change of a row.
   * @param when a condition in SQL, in which `old` is the row before the change.
   * @param message the error message, without quotes.
   */
  rejectWhen(when: string, message: string): string;
}

/** What distinguishes one database from another: how its SQL is written and how its values are stored. */
export interface Dialect {
  readonly kind: string;
  /** MikroORM's driver of the database. */
  readonly ormDriver: new (
    config: Configuration,
  ) => AbstractSqlDriver;
  /** The options with which MikroORM begins a transaction that only reads, so that readers see one snapshot. */
  readonly reading: NonNullable<Parameters<AbstractSqlConnection['transactional']>[1]>;
  readonly schemaSyntax: SchemaSyntax;
  readonly codec: ValueCodec;
  readonly conditionSyntax: ConditionSyntax;
  /** Selects a column as the database holds it: structured data as its text. */
  selectVerbatim(column: FieldDescription): AliasedExpression<unknown, string>;
  readonly stepSyntax: StepSyntax;
  /** Creates a dialect of Kysely whose compiler writes the SQL of this database, and which runs it on that driver. */
  createKyselyDialect(driver: Driver): KyselyDialect;
  createBulkWrites(statements: StatementCache): BulkWrites;
  readonly idSequences: IdSequences;
  /** Tells which constraint a failed statement violated; undefined when it failed for another reason. */
  violation(error: unknown, table: TableDescription): Violation | undefined;
}

/** What the tables of a store share: its dialect, its compiled statements and its foreign keys. */
export interface SqlContext {
  readonly dialect: Dialect;
  readonly statements: StatementCache;
  readonly writes: BulkWrites;
  readonly foreignKeys: readonly ForeignKey[];
}

/** The columns of an insert: all but the id. */
export const insertColumns = memoized(({ columns }: TableDescription): readonly FieldDescription[] =>
  columns.filter((column) => column.name !== 'id'),
);

/** Views a driver's buffer as a plain byte array, without copying it. */
export function plainBytes(buffer: Buffer): Uint8Array {
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength);
}

/** The code of the character for the first step of a histogram: the first one that is no control character. */
export const firstStepCode = 32;
