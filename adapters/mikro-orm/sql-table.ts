import {
  type Change,
  type FieldDescription,
  memoized,
  type Query,
  type Table,
  type TableDescription,
  type Where,
} from '@horarium/core';
import {
  type AnyRow,
  columnOf,
  normalizeWhere,
  plainColumnOf,
  rejectUnknownColumns,
  storedValue,
} from '@horarium/core/store';
import { type Constraints, constraintViolation } from './constraint-violation.ts';
import {
  type ColumnValues,
  type Dialect,
  insertColumns,
  quoted,
  quotedList,
  type RowUpdate,
  type SqlTransaction,
} from './sql-dialect.ts';
import { SqlText } from './sql-text.ts';

/** One table inside one open transaction of a SQL database. */
export class SqlTable implements Table<AnyRow> {
  readonly #constraints: Constraints;
  readonly #dialect: Dialect;
  readonly #transaction: SqlTransaction;
  readonly #table: TableDescription;
  readonly #name: string;
  readonly #allColumns: string;

  constructor(constraints: Constraints, transaction: SqlTransaction, table: TableDescription) {
    this.#constraints = constraints;
    this.#dialect = constraints.dialect;
    this.#transaction = transaction;
    this.#table = table;
    this.#name = quoted(table.table);
    this.#allColumns = allColumns(table);
  }

  async find(query: Query = {}): Promise<AnyRow[]> {
    const where = normalizeWhere(this.#table, query.where);
    const text = this.#text();
    const columns = query.columns
      ? quotedList(query.columns.map((name) => columnOf(this.#table, name).name))
      : this.#allColumns;
    const sql = `select ${columns} from ${this.#name}${text.where(where)}${text.order(query.order ?? [], where)}${text.limit(query.limit, query.offset)}`;
    const { rows } = await this.#transaction.run(
      query.lock ? sql + this.#dialect.lockClause(query.lock) : sql,
      text.parameters,
    );
    return rows.map((row) => this.#dialect.decode(this.#table, row));
  }

  async count(where?: Where, max?: number): Promise<number> {
    const text = this.#text();
    const rows = `select 1 from ${this.#name}${text.where(normalizeWhere(this.#table, where))}${text.limit(max)}`;
    const result = await this.#transaction.run(`select count(*) as "count" from (${rows}) as "rows"`, text.parameters);
    return Number(result.rows[0]?.['count']);
  }

  async countBy(by: readonly string[], where?: Where): Promise<{ values: unknown[]; count: number }[]> {
    const text = this.#text();
    const columns = quotedList(by.map((name) => plainColumnOf(this.#table, name).name));
    const sql = `select ${columns}, count(*) as "#" from ${this.#name}${text.where(normalizeWhere(this.#table, where))} group by ${columns}`;
    const { rows } = await this.#transaction.run(sql, text.parameters);
    return rows.map((row) => {
      const count = Number(row['#']);
      const decoded = this.#dialect.decode(this.#table, row);
      return { values: by.map((name) => decoded[name]), count };
    });
  }

  async insert(rows: readonly ColumnValues[]): Promise<number[]> {
    if (rows.length === 0) return [];
    const checked = rows.map((row) => this.#complete(row));
    const inserted = await this.#translatingViolations(
      () => this.#dialect.insert(this.#transaction, this.#table, checked),
      (error) => constraintViolation(this.#constraints, this.#transaction, this.#table, error, checked),
    );
    return inserted.map(({ id }) => id);
  }

  async insertAbsent(rows: readonly ColumnValues[], key: readonly string[]): Promise<(number | null)[]> {
    if (!this.#table.unique.some((group) => group.join() === key.join()))
      throw new Error(`${key.join(', ')} are not a unique constraint of ${this.#table.table}.`);
    if (rows.length === 0) return [];
    const checked = rows.map((row) => this.#complete(row));
    const inserted = await this.#translatingViolations(
      () => this.#dialect.insert(this.#transaction, this.#table, checked, key),
      (error) => constraintViolation(this.#constraints, this.#transaction, this.#table, error, checked),
    );
    // The inserted rows are a subset of the given ones, in the same order; of rows with equal keys the first one is
    // inserted.
    let next = 0;
    return checked.map((row) => {
      const candidate = inserted[next];
      if (!candidate || key.some((name) => candidate[name] !== row[name])) return null;
      next += 1;
      return candidate.id;
    });
  }

  async update(changes: readonly Change<AnyRow>[]): Promise<number[]> {
    const ids = changes.map(({ row }) => row.id);
    if (new Set(ids).size < ids.length) throw new Error('A row is changed twice in one update.');
    const hasRevision = this.#table.columns.some((column) => column.name === 'revision');
    const shapes = new Map<string, { columns: FieldDescription[]; writes: RowUpdate[] }>();
    for (const { row, set } of changes) {
      const values = this.#values(set);
      const names = Object.keys(values).sort();
      const shape = shapes.get(names.join()) ?? {
        columns: names.map((name) => columnOf(this.#table, name)),
        writes: [],
      };
      shapes.set(names.join(), shape);
      shape.writes.push({ id: row.id, revision: hasRevision ? (row['revision'] as number) : null, values });
    }
    const updatedIds = new Set<number>();
    for (const { columns, writes } of shapes.values()) {
      const ids = await this.#translatingViolations(
        () => this.#dialect.update(this.#transaction, this.#table, columns, writes),
        (error) =>
          constraintViolation(
            this.#constraints,
            this.#transaction,
            this.#table,
            error,
            writes.map(({ values }) => values),
          ),
      );
      for (const id of ids) updatedIds.add(id);
    }
    return ids.filter((id) => updatedIds.has(id));
  }

  async updateWhere(where: Where, set: ColumnValues): Promise<number> {
    const values = this.#values(set);
    const text = this.#text();
    const assignments = Object.entries(values).map(
      ([name, value]) => `${quoted(name)} = ${text.value(columnOf(this.#table, name), value)}`,
    );
    if (assignments.length === 0) return this.count(where);
    const sql = `update ${this.#name} set ${assignments.join(', ')}${text.where(normalizeWhere(this.#table, where))}`;
    const result = await this.#translatingViolations(
      () => this.#transaction.run(sql, text.parameters),
      (error) => constraintViolation(this.#constraints, this.#transaction, this.#table, error, [values]),
    );
    return result.affected;
  }

  async delete(where: Where): Promise<AnyRow[]> {
    const text = this.#text();
    const condition = text.where(normalizeWhere(this.#table, where));
    const { rows } = await this.#translatingViolations(
      () =>
        this.#transaction.run(`delete from ${this.#name}${condition} returning ${this.#allColumns}`, text.parameters),
      (error) =>
        constraintViolation(this.#constraints, this.#transaction, this.#table, error, {
          condition,
          parameters: text.parameters,
        }),
    );
    return rows.map((row) => this.#dialect.decode(this.#table, row)).sort((a, b) => a.id - b.id);
  }

  #text(): SqlText {
    return new SqlText(this.#dialect, this.#table);
  }

  async #translatingViolations<T>(
    work: () => T | Promise<T>,
    conflictOf: (error: unknown) => Promise<unknown>,
  ): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw (await conflictOf(error)) ?? error;
    }
  }

  #complete(row: ColumnValues): ColumnValues {
    rejectUnknownColumns(this.#table, row);
    const values: Record<string, unknown> = {};
    for (const column of insertColumns(this.#table))
      values[column.name] = storedValue(this.#table.table, column, row[column.name]);
    return values;
  }

  #values(set: ColumnValues): ColumnValues {
    const values: Record<string, unknown> = {};
    for (const name of Object.keys(set)) {
      if (name === 'id') throw new Error(`The id of a ${this.#table.name} is assigned by the store.`);
      values[name] = storedValue(this.#table.table, columnOf(this.#table, name), set[name]);
    }
    return values;
  }
}

/** Lists all columns of a table; builds the text once. */
const allColumns = memoized(({ columns }: TableDescription) => quotedList(columns.map((column) => column.name)));
