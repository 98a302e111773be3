import type { Instant } from '../loop/clock.ts';
import type { ColumnOf, Count, Picked, PlainColumnOf, Query, Where } from './query.ts';
import type { AnyRow, TableDescription } from './table.ts';

export interface Change<R extends AnyRow = AnyRow> {
  /** The row as it was read. */
  readonly row: R;
  readonly set: Partial<R>;
}

/**
 * One table inside one transaction. Rows are plain data: every column is there, unset ones are null;
 * instants are numbers, JSON is structured data that the caller must not change in place.
 */
export interface Table<R extends AnyRow = AnyRow> {
  /** Whole rows, or the columns that are asked for. */
  find(query?: Query<R> & { readonly columns?: never }): Promise<R[]>;
  find<K extends ColumnOf<R>>(query?: Query<R, K>): Promise<Picked<R, K>[]>;
  /** Counts at most `max` rows, so that a large table costs no more than that. */
  count(where?: Where<R>, max?: number): Promise<number>;
  /** How many rows there are for each combination of values of those columns. */
  countBy<const B extends readonly PlainColumnOf<R>[]>(by: B, where?: Where<R>): Promise<Count<R, B>[]>;
  /**
   * Writes complete rows but for `id`; returns the ids in the order given, ascending.
   * @throws HorariumError `conflict` when a unique group is already taken; the transaction is lost then.
   */
  insert(rows: readonly Omit<R, 'id'>[]): Promise<number[]>;
  /** Like insert, but leaves out rows whose `key` (a unique group) is taken: their place holds null. */
  insertAbsent(rows: readonly Omit<R, 'id'>[], key: readonly ColumnOf<R>[]): Promise<(number | null)[]>;
  /**
   * Writes each `set` and returns the ids that were written. In a table with a `revision` column a row that is
   * not at `row.revision` any more is left alone and its id is missing from the answer.
   */
  update(changes: readonly Change<R>[]): Promise<number[]>;
  /** Writes the same values to every row that matches; returns how many. */
  updateWhere(where: Where<R>, set: Partial<R>): Promise<number>;
  /**
   * Deletes what matches and returns those rows as they were.
   * @throws HorariumError `conflict` when another table still refers to one of them.
   */
  delete(where: Where<R>): Promise<R[]>;
}

/**
 * All tables, inside one transaction. What is asked for at once is done in the order in which it was asked for. Using
 * them after the transaction has ended throws.
 */
export interface Tables {
  /** The store's one clock, the same throughout the transaction: what leases and deadlines are judged by. */
  now(): Promise<Instant>;
  /**
   * Names what is in the store, in a transaction that only reads: as long as it is the same, in whatever transaction,
   * nobody on any host has committed anything that changes what is read. It may change though nothing was written.
   */
  state(): Promise<string>;
  of<R extends AnyRow>(description: TableDescription<R>): Table<R>;
  /** Takes the named lock until the transaction ends; false at once when someone else holds it. */
  tryLock(name: string): Promise<boolean>;
  /** Calls back once the transaction is really committed; not when it was rolled back. */
  afterCommit(callback: () => void): void;
}

/** What a transaction is for. */
export interface TransactionOptions {
  /** It only reads, and sees one moment throughout. */
  readonly readOnly?: boolean;
  /** With `readOnly`: it runs one statement, so that nothing has to hold that moment, and is refused a second one. */
  readonly singleStatement?: boolean;
}

/**
 * PORT: a place to keep rows, one transaction at a time. A reader sees only what was committed. What a
 * transaction wrote is durable when its promise resolves, and gone when it rejects.
 */
export interface Store {
  /** `sqlite`, `postgresql` or `memory`. */
  readonly kind: string;
  /**
   * Runs the work in one transaction and commits it. The work may be run again from its start when the database
   * asks for that (deadlock, serialization), so it must do nothing outside but through `afterCommit`.
   * @throws what the work throws; HorariumError `unavailable` when the database is gone.
   */
  transaction<T>(work: (tables: Tables) => Promise<T>, options?: TransactionOptions): Promise<T>;
  close(): Promise<void>;
}
