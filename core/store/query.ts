import type { Instant, Milliseconds } from '../loop/clock.ts';
import type { AnyRow } from './table.ts';

export type Comparison = '=' | '!=' | '<' | '<=' | '>' | '>=' | 'in';

/** The names of a table's columns. */
export type ColumnOf<R> = keyof R & string;

/** The names of the columns whose values have an order: all but structured data and bytes. */
export type PlainColumnOf<R> =
  string extends ColumnOf<R>
    ? string
    : { [K in ColumnOf<R>]: NonNullable<R[K]> extends object ? never : K }[ColumnOf<R>];

/**
 * One condition: on a column, or any of several lists of conditions. `=` and `!=` take null and treat it as a value
 * (`is null`); the orderings never match null. `in` takes a list; an empty one matches nothing. Structured data and
 * bytes can be compared with null only.
 */
export type Condition<R extends AnyRow = AnyRow> =
  | ColumnCondition<'id', number>
  | { [K in ColumnOf<R>]: ColumnCondition<K, R[K]> }[ColumnOf<R>]
  | { readonly any: readonly Where<R>[] };

/** A condition on the column K, whose values are of the type V. */
export type ColumnCondition<K extends string, V> = unknown extends V
  ? readonly [column: K, is: Comparison, value: unknown]
  : NonNullable<V> extends object
    ? readonly [column: K, is: '=' | '!=', value: null & V]
    :
        | readonly [column: K, is: '=' | '!=', value: V]
        | readonly [column: K, is: '<' | '<=' | '>' | '>=', value: NonNullable<V>]
        | readonly [column: K, is: 'in', value: readonly NonNullable<V>[]];

/**
 * Conditions that must all hold; none = every row. Where the first one is a list (`in`), stores search by it, so that it
 * should match few rows.
 */
export type Where<R extends AnyRow = AnyRow> = readonly Condition<R>[];

/** Nulls come last in both directions; `id` ascending breaks ties unless it is named. */
export type Order<R extends AnyRow = AnyRow> = readonly (readonly [
  column: PlainColumnOf<R> | 'id',
  direction: 'asc' | 'desc',
])[];

export interface Query<R extends AnyRow = AnyRow, K extends ColumnOf<R> = ColumnOf<R>> {
  /** @default every row */
  readonly where?: Where<R>;
  /** @default by `id`, ascending */
  readonly order?: Order<R>;
  /** @default all rows */
  readonly limit?: number;
  /** @default 0 */
  readonly offset?: number;
  /** Reads only these columns; the others are missing in the rows. @default all columns */
  readonly columns?: readonly K[];
  /**
   * Locks the rows found until the transaction ends: `wait` waits for other transactions that have locked them, `skip`
   * leaves those rows out. `reference` keeps them from being deleted, as a row that refers to them does, and leaves out
   * those for which inserting such a row would wait. A store that runs one transaction at a time may ignore it.
   * @default nothing is locked
   */
  readonly lock?: 'wait' | 'skip' | 'reference';
}

/** The columns of a row that were asked for. */
export type Picked<R extends AnyRow, K extends ColumnOf<R>> = string extends ColumnOf<R> ? R : Pick<R, K>;

/** The number of rows that have the same values in some columns. */
export interface Count<R extends AnyRow, B extends readonly (keyof R)[] = readonly (keyof R)[]> {
  /** The values of those columns, in the order asked for. */
  readonly values: string extends ColumnOf<R> ? unknown[] : { -readonly [I in keyof B]: R[B[I]] };
  readonly count: number;
}

/** The sums of some columns over the rows that have the same values in others. */
export interface Sums<R extends AnyRow, B extends readonly (keyof R)[] = readonly (keyof R)[]> {
  /** The values of the columns that are grouped by, in the order asked for. */
  readonly values: Count<R, B>['values'];
  /** The sum of each column that was added up, in the order asked for. */
  readonly sums: readonly number[];
}

/** How a histogram divides time: into steps of one length, which follow each other. */
export interface Steps<R extends AnyRow = AnyRow> {
  /** The column whose times are counted: one of instants. */
  readonly of: PlainColumnOf<R>;
  /** When the first step begins. */
  readonly from: Instant;
  /** The length of a step: whole milliseconds, at least one. */
  readonly length: Milliseconds;
  /** The number of steps, at most 2000. */
  readonly count: number;
}

/** The number of rows in each step, of those that have the same values in some columns. */
export interface Histogram<R extends AnyRow, B extends readonly (keyof R)[] = readonly (keyof R)[]> {
  /** The values of those columns, in the order asked for. */
  readonly values: Count<R, B>['values'];
  /** By step, the first one first. */
  readonly counts: readonly number[];
}
