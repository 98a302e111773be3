import { describeFields, type FieldDescriptions } from '../field/field-description.ts';
import type { Fields, RowOf } from '../field/field-meta.ts';
import { instant, integer } from '../field/fields.ts';
import { memoized } from '../registry/memoized.ts';

/** A row of any table, where its columns do not matter to the types. */
export type AnyRow = { id: number } & Record<string, unknown>;

/** Values of the columns of a row, or of some of them, by name. */
export type RowValues = Readonly<Record<string, unknown>>;

/**
 * One table of the store, as data: columns, migrations and the memory store follow from it. Without a row type it is
 * any table, whose columns are checked at run time only.
 */
export interface TableDescription<out R extends AnyRow = AnyRow> {
  /** The name of one record, as the API writes it: `RunTemplate`. */
  readonly name: string;
  /** The name of the table in a database: `horarium_run_template`. The prefix keeps it apart from tables of others. */
  readonly table: string;
  readonly fields: Fields;
  /** All columns, `id` and the service's own first. */
  readonly columns: FieldDescriptions;
  /** Groups of fields whose values no two rows share; rows with a null among them do not count. */
  readonly unique: readonly (readonly string[])[];
  readonly indexes: readonly (readonly string[])[];
  readonly partialIndexes: readonly PartialIndex[];
  /** Whether every change of a row is written to the audit log in the same transaction. */
  readonly audited: boolean;
  /** The region of the cache that holds its rows; left out for a table whose rows change too often to be cached. */
  readonly cacheRegion?: CacheRegion;
  /** A property that carries the row type for the compiler, and never exists at run time. */
  readonly $row?: R;
}

/** The rows of a table: `RowOfTable<typeof Job>`. */
export type RowOfTable<D> = D extends TableDescription<infer R> ? R : never;

/** An index of the rows in which some of its columns are not null: small where most rows have none. */
export interface PartialIndex<C extends string = string> {
  readonly columns: readonly C[];
  readonly present: readonly C[];
}

/** Tables that are changed together: what jobs are run by, and who may sign in. */
export type CacheRegion = 'configuration' | 'accounts';

export interface TableOptions<F extends Fields, Own extends Fields = { id: typeof idField }> {
  readonly name: string;
  readonly fields: F;
  /** Groups besides the single fields that are declared unique. @default none */
  readonly unique?: readonly (readonly (keyof F & string)[])[];
  /** Indexes besides those of single fields that are declared indexed. @default none */
  readonly indexes?: readonly (readonly (keyof (F & Own) & string)[])[];
  /** For queries that name a column that is not null. @default none */
  readonly partialIndexes?: readonly PartialIndex<keyof (F & Own) & string>[];
  /** @default rows are read from the store each time */
  readonly cacheRegion?: CacheRegion;
}

/** The id of every row; the store gives it. */
export const idField = integer({ readOnly: true }).required();
/** When a row was inserted. */
export const createdAtField = instant({ readOnly: true, unaudited: true, indexed: true }).required();

/** Describes a table of the service's own bookkeeping: not audited, not reachable from outside. */
export function defineBookkeeping<F extends Fields>(
  options: TableOptions<F>,
): TableDescription<RowOf<F> & { id: number }> {
  return Object.freeze({
    ...describeTable({ ...options, fields: { id: idField, ...options.fields } }),
    audited: false,
  });
}

/** Describes a table. Its fields include `id` and the others that the service sets. */
export function describeTable({
  name,
  fields,
  unique = [],
  indexes = [],
  partialIndexes = [],
  cacheRegion,
}: {
  readonly name: string;
  readonly fields: Fields;
  readonly unique?: readonly (readonly string[])[];
  readonly indexes?: readonly (readonly string[])[];
  readonly partialIndexes?: readonly PartialIndex[];
  readonly cacheRegion?: CacheRegion;
}) {
  const columns = describeFields(fields);
  return {
    name,
    table: `horarium_${name.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase()}`,
    fields,
    columns,
    unique: [...columns.filter((column) => column.unique).map((column) => [column.name]), ...unique],
    indexes: [
      ...columns.filter((column) => column.indexed && !column.unique).map((column) => [column.name]),
      ...indexes,
    ],
    partialIndexes,
    ...(cacheRegion && { cacheRegion }),
  };
}

/** Builds a row of a table without its id: every column at its default, and over it the given values. */
export function newRow<R extends AnyRow>(description: TableDescription<R>, given: Partial<R>): Omit<R, 'id'> {
  return { ...blankRow(description), ...given } as Omit<R, 'id'>;
}

/** Returns the defaults of all columns but the id. */
const blankRow = memoized(({ columns }: TableDescription): object =>
  Object.fromEntries(columns.filter(({ name }) => name !== 'id').map((column) => [column.name, column.default])),
);
