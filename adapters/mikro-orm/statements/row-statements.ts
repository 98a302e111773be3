import type { FieldDescription, TableDescription } from '@horarium/core';
import { sql } from 'kysely';
import {
  type ColumnValues,
  type InsertedRow,
  insertColumns,
  type RowUpdate,
  type SqlResult,
  type SqlTransaction,
  type ValueCodec,
} from '../dialect.ts';
import type { StatementCache } from './statement.ts';

/** The statements that write a single row; they are the same for every database. */
export class RowStatements {
  readonly #statements: StatementCache;
  readonly #codec: ValueCodec;
  readonly #returning: boolean;

  /** @param returning whether inserts ask for the id by `returning`, because the driver does not tell it. */
  constructor(statements: StatementCache, codec: ValueCodec, { returning }: { readonly returning: boolean }) {
    this.#statements = statements;
    this.#codec = codec;
    this.#returning = returning;
  }

  /**
   * Returns the statement that inserts one row; with a key, it skips a row whose key exists.
   * @returns a function that runs it for a row, and returns the inserted row; undefined for a skipped one.
   */
  inserting(transaction: SqlTransaction, table: TableDescription, key?: readonly string[]) {
    const columns = insertColumns(table);
    const shape = key ? `insert absent ${key.join()}` : 'insert';
    const statement = this.#statements.compiled(table, shape, columns.length, (builder, slots) => {
      const values = Object.fromEntries(columns.map(({ name }) => [name, slots.next()]));
      const insert = builder.insertInto(table.table).values(values);
      const absent = key ? insert.onConflict((conflict) => conflict.columns([...key]).doNothing()) : insert;
      return this.#returning ? absent.returning(['id', ...(key ?? [])]) : absent;
    });
    return async (row: ColumnValues): Promise<InsertedRow | undefined> => {
      const { sql, parameters } = statement.bind(this.#encoded(columns, row));
      const result = await transaction.run(sql, parameters);
      return this.#returning ? this.#decoded(table, result) : insertedRow(row, result);
    };
  }

  /** Returns a function that inserts one row under the id that it has. */
  insertingWithId(transaction: SqlTransaction, table: TableDescription) {
    const { columns } = table;
    const statement = this.#statements.compiled(table, 'insert with id', columns.length, (builder, slots) => {
      const values = Object.fromEntries(columns.map(({ name }) => [name, slots.next()]));
      return builder.insertInto(table.table).values(values);
    });
    return async (row: ColumnValues): Promise<void> => {
      const { sql, parameters } = statement.bind(this.#encoded(columns, row));
      await transaction.run(sql, parameters);
    };
  }

  /**
   * Returns the statement that sets these columns of one row.
   * @param hasRevision whether the row must be at a revision.
   * @returns a function that runs it for a row, and returns whether the row was updated: it exists, at that revision.
   */
  updating(
    transaction: SqlTransaction,
    table: TableDescription,
    columns: readonly FieldDescription[],
    hasRevision: boolean,
  ) {
    const names = columns.map(({ name }) => name);
    const shape = `update one ${hasRevision ? 'revision ' : ''}${names.join()}`;
    const count = names.length + (hasRevision ? 2 : 1);
    const statement = this.#statements.compiled(table, shape, count, (builder, slots) => {
      const assignments = names.map((name) => [name, slots.next()]);
      // A statement that sets nothing still has to find out whether the row is at that revision.
      const set = names.length > 0 ? Object.fromEntries(assignments) : { id: sql.ref('id') };
      const update = builder.updateTable(table.table).set(set).where('id', '=', slots.next());
      return hasRevision ? update.where('revision', '=', slots.next()) : update;
    });
    return async ({ id, revision, values }: RowUpdate): Promise<boolean> => {
      const bound = this.#encoded(columns, values);
      bound.push(id);
      if (hasRevision) bound.push(revision);
      const { sql, parameters } = statement.bind(bound);
      return (await transaction.run(sql, parameters)).affected > 0;
    };
  }

  #encoded(columns: readonly FieldDescription[], row: ColumnValues): unknown[] {
    return columns.map((column) => this.#codec.encode(column, row[column.name]));
  }

  #decoded(table: TableDescription, { rows: [inserted] }: SqlResult): InsertedRow | undefined {
    return inserted && this.#codec.decode(table, inserted);
  }
}

/** Returns the row that an insert wrote; undefined if its key was taken. */
function insertedRow(row: ColumnValues, { affected, insertedId }: SqlResult): InsertedRow | undefined {
  if (affected === 0) return undefined;
  if (insertedId === undefined) throw new Error('The driver does not tell the id of an inserted row.');
  return { ...row, id: insertedId };
}
