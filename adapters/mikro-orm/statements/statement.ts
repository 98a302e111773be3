import type { TableDescription } from '@horarium/core';
import { LruCache } from '@horarium/core/store';
import type { Compilable, Kysely } from 'kysely';

/** Kysely, used to compile statements. The port has checked the names of tables and columns, so they need no types. */
// biome-ignore lint/suspicious/noExplicitAny: Kysely's type for a database whose tables are known at run time only.
export type StatementBuilder = Kysely<any>;

/** Takes the place of a value while a statement is built. Kysely passes it on among the compiled parameters. */
export class Slot {
  readonly index: number;

  constructor(index: number) {
    this.index = index;
  }
}

/** Hands out slots in the order in which the values of a statement are bound. */
export class Slots {
  #count = 0;

  get count(): number {
    return this.#count;
  }

  next(): Slot {
    const slot = new Slot(this.#count);
    this.#count += 1;
    return slot;
  }
}

/** The values of one statement, and its shape: all that its text depends on besides the table. */
export class Binding {
  shape: string;
  readonly values: unknown[] = [];

  constructor(shape: string) {
    this.shape = shape;
  }
}

/** A compiled statement, for any values. */
class Statement {
  readonly #sql: string;
  /** For each parameter of the text, which value it takes; null = the values are in that order already. */
  readonly #order: readonly number[] | null;

  constructor(sql: string, order: readonly number[] | null) {
    this.#sql = sql;
    this.#order = order;
  }

  bind(values: readonly unknown[]): BoundStatement {
    const order = this.#order;
    return { sql: this.#sql, parameters: order === null ? values : order.map((index) => values[index]) };
  }
}

/** A statement as a connection runs it: its text, and its values in the order of the placeholders. */
export interface BoundStatement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

const maxStatements = 2000;

/** Compiles each shape of statement once, because Kysely takes longer to compile one than a database to find a row. */
export class StatementCache {
  readonly #builder: StatementBuilder;
  /** Callers choose the conditions and the order of lists, so that the number of shapes has no other bound. */
  readonly #statements = new LruCache<Statement>(maxStatements);

  constructor(builder: StatementBuilder) {
    this.#builder = builder;
  }

  /** @param build builds the statement with as many slots as there are values, taken in the order of the values. */
  bind(
    table: TableDescription,
    { shape, values }: Binding,
    build: (builder: StatementBuilder, slots: Slots) => Compilable,
  ): BoundStatement {
    return this.compiled(table, shape, values.length, build).bind(values);
  }

  /** Returns the statement of a shape, which many bindings of as many values share. */
  compiled(
    table: TableDescription,
    shape: string,
    values: number,
    build: (builder: StatementBuilder, slots: Slots) => Compilable,
  ): Statement {
    return this.#statements.getOrMake(`${table.table} ${shape}`, () => this.#compile(values, build));
  }

  #compile(values: number, build: (builder: StatementBuilder, slots: Slots) => Compilable): Statement {
    const slots = new Slots();
    const { sql, parameters } = build(this.#builder, slots).compile();
    if (slots.count !== values) throw new Error(`${sql} takes ${slots.count} values, but ${values} are bound.`);
    const order = parameters.map((parameter) => {
      if (parameter instanceof Slot) return parameter.index;
      throw new Error(`${sql} contains a value that is not bound.`);
    });
    const isInOrder = order.length === values && order.every((index, position) => index === position);
    return new Statement(sql, isInOrder ? null : order);
  }
}
