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
import { Binding, type StatementCache } from './statement.ts';

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

  /** Inserts one row; with a key, skips it when its key exists. @returns the inserted row; undefined for a skipped one. */
  async insert(
    transaction: SqlTransaction,
    table: TableDescription,
    row: ColumnValues,
    key?: readonly string[],
  ): Promise<InsertedRow | undefined> {
    const columns = insertColumns(table);
    const binding = new Binding(key ? `insert absent ${key.join()}` : 'insert');
    for (const column of columns) binding.values.push(this.#codec.encode(column, row[column.name]));
    const { sql, parameters } = this.#statements.bind(table, binding, (builder, slots) => {
      const values = Object.fromEntries(columns.map(({ name }) => [name, slots.next()]));
      const insert = builder.insertInto(table.table).values(values);
      const absent = key ? insert.onConflict((conflict) => conflict.columns([...key]).doNothing()) : insert;
      return this.#returning ? absent.returning(['id', ...(key ?? [])]) : absent;
    });
    const result = await transaction.run(sql, parameters);
    return this.#returning ? this.#decoded(table, result) : insertedRow(row, result);
  }

  /** Inserts one row under the id that it has. */
  async insertWithId(transaction: SqlTransaction, table: TableDescription, row: ColumnValues): Promise<void> {
    const binding = new Binding('insert with id');
    for (const column of table.columns) binding.values.push(this.#codec.encode(column, row[column.name]));
    const { sql, parameters } = this.#statements.bind(table, binding, (builder, slots) => {
      const values = Object.fromEntries(table.columns.map(({ name }) => [name, slots.next()]));
      return builder.insertInto(table.table).values(values);
    });
    await transaction.run(sql, parameters);
  }

  #decoded(table: TableDescription, { rows: [inserted] }: SqlResult): InsertedRow | undefined {
    return inserted && this.#codec.decode(table, inserted);
  }

  /** @returns whether the row was updated: it exists, at the revision that it must have. */
  async update(
    transaction: SqlTransaction,
    table: TableDescription,
    columns: readonly FieldDescription[],
    { id, revision, values }: RowUpdate,
  ): Promise<boolean> {
    const names = columns.map(({ name }) => name);
    const binding = new Binding(`update one ${revision === null ? '' : 'revision '}${names.join()}`);
    for (const column of columns) binding.values.push(this.#codec.encode(column, values[column.name]));
    binding.values.push(id);
    if (revision !== null) binding.values.push(revision);
    const statement = this.#statements.bind(table, binding, (builder, slots) => {
      const assignments = names.map((name) => [name, slots.next()]);
      // A statement that sets nothing still has to find out whether the row is at that revision.
      const set = names.length > 0 ? Object.fromEntries(assignments) : { id: sql.ref('id') };
      const update = builder.updateTable(table.table).set(set).where('id', '=', slots.next());
      return revision === null ? update : update.where('revision', '=', slots.next());
    });
    return (await transaction.run(statement.sql, statement.parameters)).affected > 0;
  }
}

/** Returns the row that an insert wrote; undefined if its key was taken. */
function insertedRow(row: ColumnValues, { affected, insertedId }: SqlResult): InsertedRow | undefined {
  if (affected === 0) return undefined;
  if (insertedId === undefined) throw new Error('The driver does not tell the id of an inserted row.');
  return { ...row, id: insertedId };
}
