import type { Change, FieldDescription, Query, Steps, Table, TableDescription, Where } from '@horarium/core';
import { yieldToEventLoop } from '@horarium/core';
import {
  type AnyRow,
  columnOf,
  impliesBounds,
  normalizeWhere,
  plainColumnOf,
  rejectUnknownColumns,
  storedValue,
  withinSteps,
} from '@horarium/core/store';
import { type Compilable, sql } from 'kysely';
import {
  type ColumnValues,
  firstStepCode,
  insertColumns,
  type RowUpdate,
  type SqlContext,
  type SqlResult,
  type SqlTransaction,
} from '../dialect.ts';
import { bindWhere, orderShape, orderTerms, whereExpression } from './conditions.ts';
import { constraintViolation, type FailedStatement } from './constraint-violation.ts';
import { Binding, type Slots, type StatementBuilder } from './statement.ts';

/** One table inside one open transaction of a SQL database. */
export class SqlTable implements Table<AnyRow> {
  readonly #context: SqlContext;
  readonly #transaction: SqlTransaction;
  readonly #table: TableDescription;

  constructor(context: SqlContext, transaction: SqlTransaction, table: TableDescription) {
    this.#context = context;
    this.#transaction = transaction;
    this.#table = table;
  }

  async find({ where: given, order = [], limit, offset, lock, columns }: Query = {}): Promise<AnyRow[]> {
    const { dialect } = this.#context;
    const where = normalizeWhere(this.#table, given);
    const binding = new Binding(`find ${columns ? columns.join() : '*'} where`);
    bindWhere(binding, dialect, this.#table, where);
    binding.shape += ` order${orderShape(order)}`;
    const page = bindPage(binding, limit, offset);
    if (lock) binding.shape += ` lock ${lock}`;
    const { rows } = await this.#run(binding, (builder, slots) => {
      const selected = columns ? columns.map((name) => columnOf(this.#table, name)) : this.#table.columns;
      let select = builder
        .selectFrom(this.#table.table)
        .select(selected.map((column) => (column.verbatim ? dialect.selectVerbatim(column) : column.name)));
      if (where.length > 0) select = select.where(whereExpression(dialect, this.#table, where, slots));
      for (const [column, direction] of orderTerms(this.#table, order, where))
        select = select.orderBy(column, direction);
      if (page.limited) select = select.limit(sql<number>`${slots.next()}`);
      if (page.skipping) select = select.offset(sql<number>`${slots.next()}`);
      // Ids never change, and `for update` would block inserts that refer to the row.
      if (lock) select = lock === 'reference' ? select.forKeyShare() : select.forNoKeyUpdate();
      return lock && lock !== 'wait' ? select.skipLocked() : select;
    });
    return rows.map((row) => dialect.codec.decode(this.#table, row));
  }

  async count(given?: Where, max?: number): Promise<number> {
    const { dialect } = this.#context;
    const where = normalizeWhere(this.#table, given);
    const binding = new Binding('count where');
    bindWhere(binding, dialect, this.#table, where);
    const { limited } = bindPage(binding, max);
    const { rows } = await this.#run(binding, (builder, slots) => {
      let select = builder.selectFrom(this.#table.table).select(sql`1`.as('one'));
      if (where.length > 0) select = select.where(whereExpression(dialect, this.#table, where, slots));
      if (limited) select = select.limit(sql<number>`${slots.next()}`);
      return builder.selectFrom(select.as('rows')).select(builder.fn.countAll().as('count'));
    });
    return Number(rows[0]?.['count']);
  }

  async countBy(by: readonly string[], given?: Where): Promise<{ values: unknown[]; count: number }[]> {
    const { dialect } = this.#context;
    const where = normalizeWhere(this.#table, given);
    const binding = new Binding(`count by ${by.join()} where`);
    bindWhere(binding, dialect, this.#table, where);
    const { rows } = await this.#run(binding, (builder, slots) => {
      const names = by.map((name) => plainColumnOf(this.#table, name).name);
      const select = builder.selectFrom(this.#table.table).select([...names, builder.fn.countAll().as('#')]);
      const matching = where.length > 0 ? select.where(whereExpression(dialect, this.#table, where, slots)) : select;
      return matching.groupBy(names);
    });
    return rows.map((row) => {
      const count = Number(row['#']);
      const decoded = dialect.codec.decode(this.#table, row);
      return { values: by.map((name) => decoded[name]), count };
    });
  }

  async sumBy(
    by: readonly string[],
    sums: readonly string[],
    given?: Where,
  ): Promise<{ values: unknown[]; sums: number[] }[]> {
    const { dialect } = this.#context;
    const where = normalizeWhere(this.#table, given);
    const binding = new Binding(`sum ${sums.join()} by ${by.join()} where`);
    bindWhere(binding, dialect, this.#table, where);
    const { rows } = await this.#run(binding, (builder, slots) => {
      const names = by.map((name) => plainColumnOf(this.#table, name).name);
      const added = sums.map((name) => {
        const column = sql.ref(plainColumnOf(this.#table, name).name);
        return sql`coalesce(sum(${column}), 0)`.as(`#${name}`);
      });
      const select = builder.selectFrom(this.#table.table).select([...names, ...added]);
      const matching = where.length > 0 ? select.where(whereExpression(dialect, this.#table, where, slots)) : select;
      // Without a group, `sum` returns a row also where nothing matches.
      return names.length > 0 ? matching.groupBy(names) : matching.having(sql<boolean>`count(*) > 0`);
    });
    return rows.map((row) => {
      const totals = sums.map((name) => Number(row[`#${name}`]));
      const decoded = dialect.codec.decode(this.#table, row);
      return { values: by.map((name) => decoded[name]), sums: totals };
    });
  }

  async histogram(
    by: readonly string[],
    steps: Steps,
    given?: Where,
  ): Promise<{ values: unknown[]; counts: number[] }[]> {
    const { dialect } = this.#context;
    const where = normalizeWhere(this.#table, given);
    const bounds = normalizeWhere(this.#table, withinSteps(this.#table, steps));
    const within = impliesBounds(where, bounds) ? [] : bounds;
    const of = columnOf(this.#table, steps.of);
    const binding = new Binding(`steps of ${of.name} by ${by.join()} within ${within.length} where`);
    binding.values.push(...dialect.stepSyntax.values(of, steps));
    bindWhere(binding, dialect, this.#table, within);
    bindWhere(binding, dialect, this.#table, where);
    const { rows } = await this.#run(binding, (builder, slots) => {
      const names = by.map((name) => plainColumnOf(this.#table, name).name);
      const text = dialect.stepSyntax.text(of, slots);
      // As a filter, because a planner that knows no values takes two bounds for more selective than all else.
      const filtered =
        within.length > 0 ? sql`${text} filter (where ${whereExpression(dialect, this.#table, within, slots)})` : text;
      const select = builder.selectFrom(this.#table.table).select([...names, filtered.as('#')]);
      const matching = where.length > 0 ? select.where(whereExpression(dialect, this.#table, where, slots)) : select;
      return names.length > 0 ? matching.groupBy(names) : matching;
    });
    return rows.flatMap((row) => {
      const text = row['#'] as string | null;
      if (text === null) return [];
      const decoded = dialect.codec.decode(this.#table, row);
      return [{ values: by.map((name) => decoded[name]), counts: countsOf(text, steps.count) }];
    });
  }

  async insert(rows: readonly ColumnValues[]): Promise<number[]> {
    if (rows.length === 0) return [];
    const complete = rows.map((row) => this.#complete(row));
    const inserted = await this.#translatingViolations(complete, () =>
      this.#context.writes.insert(this.#transaction, this.#table, complete),
    );
    return inserted.map(({ id }) => id);
  }

  async insertAbsent(rows: readonly ColumnValues[], key: readonly string[]): Promise<(number | null)[]> {
    if (!this.#table.unique.some((group) => group.join() === key.join()))
      throw new Error(`${key.join(', ')} are not a unique constraint of ${this.#table.table}.`);
    if (rows.length === 0) return [];
    const complete = rows.map((row) => this.#complete(row));
    const inserted = await this.#translatingViolations(complete, () =>
      this.#context.writes.insert(this.#transaction, this.#table, complete, key),
    );
    // The inserted rows are a subset of the given ones, in the same order; of rows with equal keys the first one is
    // inserted.
    let next = 0;
    return complete.map((row) => {
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
    const groups = new Map<string, { columns: FieldDescription[]; updates: RowUpdate[] }>();
    const unchanged = hasRevision ? unchangedFields(changes) : new Set();
    for (const { row, set } of changes) {
      const values = this.#values(set);
      const names = Object.keys(values)
        .filter((name) => !unchanged.has(name))
        .sort();
      const group = groups.get(names.join()) ?? {
        columns: names.map((name) => columnOf(this.#table, name)),
        updates: [],
      };
      groups.set(names.join(), group);
      group.updates.push({ id: row.id, revision: hasRevision ? (row['revision'] as number) : null, values });
    }
    const updatedIds = new Set<number>();
    for (const { columns, updates } of groups.values()) {
      const written = updates.map(({ values }) => values);
      const updated = await this.#translatingViolations(written, () =>
        this.#context.writes.update(this.#transaction, this.#table, columns, updates),
      );
      for (const id of updated) updatedIds.add(id);
      await yieldToEventLoop();
    }
    return ids.filter((id) => updatedIds.has(id));
  }

  async updateWhere(given: Where, set: ColumnValues, add: Readonly<Record<string, number>> = {}): Promise<number> {
    const { dialect } = this.#context;
    const values = this.#values(set);
    const names = Object.keys(values);
    const sums = Object.keys(add);
    if (names.length + sums.length === 0) return this.count(given);
    const where = normalizeWhere(this.#table, given);
    const binding = new Binding(`update ${names.join()} add ${sums.join()} where`);
    for (const name of names) binding.values.push(dialect.codec.encode(columnOf(this.#table, name), values[name]));
    for (const name of sums) binding.values.push(dialect.codec.encode(columnOf(this.#table, name), add[name]));
    bindWhere(binding, dialect, this.#table, where);
    const { affected } = await this.#translatingViolations([values], () =>
      this.#run(binding, (builder, slots) => {
        const assignments = names.map((name) => [name, slots.next()] as const);
        const additions = sums.map((name) => [name, sql`${sql.ref(name)} + ${slots.next()}`] as const);
        const update = builder.updateTable(this.#table.table).set(Object.fromEntries([...assignments, ...additions]));
        return where.length > 0 ? update.where(whereExpression(dialect, this.#table, where, slots)) : update;
      }),
    );
    return affected;
  }

  async delete(given: Where): Promise<AnyRow[]> {
    const { dialect } = this.#context;
    const where = normalizeWhere(this.#table, given);
    const binding = new Binding('delete where');
    bindWhere(binding, dialect, this.#table, where);
    const { rows } = await this.#translatingViolations({ where }, () =>
      this.#run(binding, (builder, slots) => {
        const statement = builder.deleteFrom(this.#table.table).returning([...columnNames(this.#table)]);
        return where.length > 0 ? statement.where(whereExpression(dialect, this.#table, where, slots)) : statement;
      }),
    );
    return rows.map((row) => dialect.codec.decode(this.#table, row)).sort((a, b) => a.id - b.id);
  }

  async purge(given: Where): Promise<number> {
    const { dialect } = this.#context;
    const where = normalizeWhere(this.#table, given);
    const binding = new Binding('purge where');
    bindWhere(binding, dialect, this.#table, where);
    const { affected } = await this.#translatingViolations({ where }, () =>
      this.#run(binding, (builder, slots) => {
        const statement = builder.deleteFrom(this.#table.table);
        return where.length > 0 ? statement.where(whereExpression(dialect, this.#table, where, slots)) : statement;
      }),
    );
    return affected;
  }

  #run(
    binding: Binding,
    build: (builder: StatementBuilder, slots: Slots) => Compilable,
  ): SqlResult | Promise<SqlResult> {
    const { sql, parameters } = this.#context.statements.bind(this.#table, binding, build);
    return this.#transaction.run(sql, parameters);
  }

  async #translatingViolations<T>(statement: FailedStatement, work: () => T | Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw (await constraintViolation(this.#context, this.#transaction, this.#table, error, statement)) ?? error;
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

/** Counts the steps in a text that a `StepSyntax` has written. */
function countsOf(text: string, steps: number): number[] {
  const counts = new Array<number>(steps).fill(0);
  for (let at = 0; at < text.length; at += 1) {
    const step = text.charCodeAt(at) - firstStepCode;
    counts[step] = (counts[step] ?? 0) + 1;
  }
  return counts;
}

function columnNames({ columns }: TableDescription): readonly string[] {
  return columns.map((column) => column.name);
}

/** Binds a limit and an offset, where there are any. */
function bindPage(binding: Binding, limit = Number.POSITIVE_INFINITY, offset = 0) {
  const page = { limited: limit !== Number.POSITIVE_INFINITY, skipping: offset > 0 };
  if (page.limited) {
    binding.shape += ' limit';
    binding.values.push(limit);
  }
  if (page.skipping) {
    binding.shape += ' offset';
    binding.values.push(offset);
  }
  return page;
}

/**
 * Returns the fields that no change changes, so that the database need not touch their indexes. The rows are as the database
 * has them, or their revisions keep the changes from being written.
 */
function unchangedFields(changes: readonly Change<AnyRow>[]): ReadonlySet<string> {
  const unchanged = new Set(changes.flatMap(({ set }) => Object.keys(set)));
  for (const { row, set } of changes)
    for (const name of unchanged) if (name in set && !Object.is(set[name], row[name])) unchanged.delete(name);
  return unchanged;
}
