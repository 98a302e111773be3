import type { FieldDescription, TableDescription } from '@horarium/core';
import { yieldToEventLoop } from '@horarium/core';
import { type AliasedExpression, sql } from 'kysely';
import {
  type BulkWrites,
  type ColumnValues,
  type InsertedRow,
  insertColumns,
  type RowUpdate,
  type SqlTransaction,
  type ValueCodec,
} from '../../dialect.ts';
import { RowStatements } from '../../statements/row-statements.ts';
import { Binding, type Slot, type StatementCache } from '../../statements/statement.ts';
import { postgresColumnTypes } from './column-types.ts';
import { postgresCodec } from './value-codec.ts';

// Limits the size of a statement: it is one message, which both sides hold in memory as a whole.
const maxRowsPerStatement = 5000;

/**
 * Sends many rows as one JSON parameter that the server expands into a record set, so that the text of the statement
 * does not depend on their number and its plan stays cached.
 */
export class PostgresBulkWrites implements BulkWrites {
  readonly #statements: StatementCache;
  readonly #codec: ValueCodec;
  readonly #rows: RowStatements;

  /** @param codec decodes what the driver returns. */
  constructor(statements: StatementCache, codec: ValueCodec = postgresCodec) {
    this.#statements = statements;
    this.#codec = codec;
    this.#rows = new RowStatements(statements, codec, { returning: true });
  }

  async insert(
    transaction: SqlTransaction,
    table: TableDescription,
    rows: readonly ColumnValues[],
    key?: readonly string[],
  ): Promise<InsertedRow[]> {
    const [only] = rows;
    if (only && rows.length === 1) {
      const row = await this.#rows.inserting(transaction, table, key)(only);
      return row ? [row] : [];
    }
    const columns = insertColumns(table);
    const inserted: InsertedRow[] = [];
    for (const batch of batches(rows, (row) => jsonObject(columns, row))) {
      await yieldToEventLoop();
      const answer = await this.#insertBatch(transaction, table, batch, key);
      // Ids ascend in the order of the rows; the order of `returning` is not guaranteed.
      inserted.push(...answer.map((row) => this.#codec.decode(table, row)).sort((a, b) => a.id - b.id));
    }
    return inserted;
  }

  async #insertBatch(transaction: SqlTransaction, table: TableDescription, json: string, key?: readonly string[]) {
    const binding = new Binding(key ? `insert absent rows ${key.join()}` : 'insert rows');
    binding.values.push(json);
    const statement = this.#statements.bind(table, binding, (builder, slots) => {
      const columns = insertColumns(table);
      const names = columns.map(({ name }) => name);
      const rows = builder.selectFrom(recordSet(typesOf(columns), slots.next(), 'rows')).select(names);
      const insert = builder.insertInto(table.table).columns(names).expression(rows.orderBy('position'));
      if (!key) return insert.returning('id');
      return insert.onConflict((conflict) => conflict.columns([...key]).doNothing()).returning(['id', ...key]);
    });
    return (await transaction.run(statement.sql, statement.parameters)).rows;
  }

  async insertWithIds(
    transaction: SqlTransaction,
    table: TableDescription,
    rows: readonly ColumnValues[],
  ): Promise<void> {
    for (const batch of batches(rows, (row) => jsonObject(table.columns, row))) {
      await yieldToEventLoop();
      const binding = new Binding('insert rows with ids');
      binding.values.push(batch);
      const statement = this.#statements.bind(table, binding, (builder, slots) => {
        const names = table.columns.map(({ name }) => name);
        const rows = builder.selectFrom(recordSet(typesOf(table.columns), slots.next(), 'rows')).select(names);
        return builder.insertInto(table.table).columns(names).expression(rows.orderBy('position'));
      });
      await transaction.run(statement.sql, statement.parameters);
    }
  }

  async update(
    transaction: SqlTransaction,
    table: TableDescription,
    columns: readonly FieldDescription[],
    updates: readonly RowUpdate[],
  ): Promise<number[]> {
    const [only] = updates;
    const hasRevision = only?.revision !== null;
    if (only && updates.length === 1)
      return (await this.#rows.updating(transaction, table, columns, hasRevision)(only)) ? [only.id] : [];
    const updatedIds: number[] = [];
    const json = ({ id, revision, values }: RowUpdate) => {
      const rest = columns.length > 0 ? `,${jsonObject(columns, values).slice(1)}` : '}';
      return hasRevision ? `{"id":${id},"#revision":${revision}${rest}` : `{"id":${id}${rest}`;
    };
    for (const batch of batches(updates, json)) {
      await yieldToEventLoop();
      updatedIds.push(...(await this.#updateBatch(transaction, table, columns, batch, hasRevision)));
    }
    return updatedIds;
  }

  async #updateBatch(
    transaction: SqlTransaction,
    table: TableDescription,
    columns: readonly FieldDescription[],
    json: string,
    hasRevision: boolean,
  ): Promise<number[]> {
    const names = columns.map(({ name }) => name);
    const binding = new Binding(`update rows ${names.join()}`);
    binding.values.push(json);
    const statement = this.#statements.bind(table, binding, (builder, slots) => {
      const ids = table.columns.filter(({ name }) => name === 'id');
      const types = [...typesOf([...ids, ...columns]), ...(hasRevision ? [['#revision', 'bigint'] as const] : [])];
      const assignments = names.map((name) => [name, sql.ref(`new.${name}`)]);
      const update = builder
        .updateTable(`${table.table} as old`)
        .set(names.length > 0 ? Object.fromEntries(assignments) : { id: sql.ref('old.id') })
        .from(recordSet(types, slots.next(), 'new'))
        .whereRef('old.id', '=', 'new.id')
        .returning('old.id as id');
      return hasRevision ? update.whereRef('old.revision', '=', 'new.#revision') : update;
    });
    const { rows } = await transaction.run(statement.sql, statement.parameters);
    return rows.map((row) => this.#codec.decode(table, row).id);
  }
}

/** Writes rows as JSON arrays of at most that many objects. */
function* batches<R>(rows: readonly R[], json: (row: R) => string): Generator<string> {
  for (let start = 0; start < rows.length; start += maxRowsPerStatement)
    yield `[${rows
      .slice(start, start + maxRowsPerStatement)
      .map(json)
      .join()}]`;
}

function jsonObject(columns: readonly FieldDescription[], row: ColumnValues): string {
  return `{${columns.map((column) => `"${column.name}":${jsonValue(column, row[column.name])}`).join()}}`;
}

function jsonValue(column: FieldDescription, value: unknown): string {
  if (value === null) return 'null';
  if (value instanceof Uint8Array)
    return `"\\\\x${Buffer.from(value.buffer, value.byteOffset, value.length).toString('hex')}"`;
  const parameter = postgresCodec.encode(column, value);
  const isJson = column.kind === 'json' || column.kind === 'texts' || column.kind === 'references';
  return isJson ? (parameter as string) : JSON.stringify(parameter);
}

type ColumnType = readonly [name: string, type: string];

function typesOf(columns: readonly FieldDescription[]): ColumnType[] {
  return columns.map(({ name, kind }) => [name, postgresColumnTypes[kind]]);
}

/** Builds the record set of a JSON array of objects, with `position`, the number of the row. */
function recordSet<A extends string>(
  types: readonly ColumnType[],
  json: Slot,
  alias: A,
): AliasedExpression<Record<string, unknown>, A> {
  const columns = sql.join(types.map(([name, type]) => sql`${sql.id(name)} ${sql.raw(type)}`));
  const names = sql.join([...types.map(([name]) => name), 'position'].map((name) => sql.id(name)));
  const rows = sql<
    Record<string, unknown>
  >`rows from (json_to_recordset(${json}::json) as (${columns})) with ordinality`;
  return rows.as<A>(sql`${sql.id(alias)} (${names})`);
}
