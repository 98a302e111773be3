import type { Instant } from '../loop/clock.ts';
import type { ColumnOf, Count, Histogram, Picked, PlainColumnOf, Query, Steps, Sums, Where } from './query.ts';
import type { CommonSetting } from './setting.ts';
import type { AnyRow, TableDescription } from './table.ts';

export interface Change<R extends AnyRow = AnyRow> {
  /** The row as it was read. */
  readonly row: R;
  readonly set: Partial<R>;
}

/**
 * One table inside one transaction. Rows are plain data: every column is present, unset ones are null; instants are
 * numbers, JSON is structured data that the caller must not change in place.
 */
export interface Table<R extends AnyRow = AnyRow> {
  /** Reads whole rows, or the columns that are asked for. */
  find(query?: Query<R> & { readonly columns?: never }): Promise<R[]>;
  find<K extends ColumnOf<R>>(query?: Query<R, K>): Promise<Picked<R, K>[]>;
  /** Counts at most `max` rows, so that a large table costs no more than that. */
  count(where?: Where<R>, max?: number): Promise<number>;
  /** Counts the rows for each combination of values of those columns. */
  countBy<const B extends readonly PlainColumnOf<R>[]>(by: B, where?: Where<R>): Promise<Count<R, B>[]>;
  /** Adds up columns of whole numbers, nulls as zero, for each combination of values of other columns. */
  sumBy<const B extends readonly PlainColumnOf<R>[]>(
    by: B,
    sums: readonly PlainColumnOf<R>[],
    where?: Where<R>,
  ): Promise<Sums<R, B>[]>;
  /**
   * Counts the rows for each combination of values of columns by steps of time; times outside the steps are left out. The
   * answer has one row for each combination, so that a million rows in hundreds of steps take little longer to read than to
   * count. The steps do not narrow the search: conditions do.
   * @throws Error for steps that are none, or too many.
   */
  histogram<const B extends readonly PlainColumnOf<R>[]>(
    by: B,
    steps: Steps<R>,
    where?: Where<R>,
  ): Promise<Histogram<R, B>[]>;
  /**
   * Inserts rows that are complete but for `id`, and returns their ids in the order given, ascending.
   * @throws HorariumError `conflict` when a unique group is taken; the transaction cannot go on then.
   */
  insert(rows: readonly Omit<R, 'id'>[]): Promise<number[]>;
  /** Like insert, but skips rows whose `key` (a unique group) is taken; null stands in place of their ids. */
  insertAbsent(rows: readonly Omit<R, 'id'>[], key: readonly ColumnOf<R>[]): Promise<(number | null)[]>;
  /**
   * Writes each `set` and returns the ids that were written. In a table with a `revision` column a row that is no longer
   * at `row.revision` is not written, and its id is missing from the result.
   */
  update(changes: readonly Change<R>[]): Promise<number[]>;
  /**
   * Writes the same values to every row that matches, adds numbers to columns of it, and returns how many rows there were.
   * Transactions that add to a row at the same time wait for each other, and no number is lost.
   */
  updateWhere(where: Where<R>, set: Partial<R>, add?: Readonly<Partial<Record<ColumnOf<R>, number>>>): Promise<number>;
  /**
   * Deletes the rows that match and returns them.
   * @throws HorariumError `conflict` when another table still refers to one of them.
   */
  delete(where: Where<R>): Promise<R[]>;
  /**
   * Deletes the rows that match without reading them, and returns how many there were: for rows with large contents.
   * @throws HorariumError `conflict` when another table still refers to one of them.
   */
  purge(where: Where<R>): Promise<number>;
}

/** One table as a copy of its store is made and restored: with the ids that its rows have. */
export interface TableCopy<R extends AnyRow = AnyRow> {
  /** Reads the highest id that the table has assigned, also to a row that was deleted since; 0 = it has assigned none. */
  lastId(): Promise<number>;
  /**
   * Inserts rows under the ids that they have.
   * @throws HorariumError `conflict` when an id or a unique group is taken; the transaction cannot go on then.
   */
  insert(rows: readonly R[]): Promise<void>;
  /** Makes the table assign only ids above that one. It must not be lower than the ids that the table has. */
  setLastId(id: number): Promise<void>;
}

/**
 * All tables, inside one transaction. Concurrent calls run in the order in which they were made. Calls after the
 * transaction has ended throw.
 */
export interface Tables {
  /**
   * Reads the store's one clock, which decides about leases and deadlines. The time is the same throughout the transaction.
   */
  now(): Promise<Instant>;
  /**
   * Whether transactions that write run one after another, so that no other one can have locked or changed a row since
   * this one began.
   */
  readonly serial: boolean;
  /** Reads one of the service's own settings, null = it has no value; the common ones with one statement for all. */
  setting(name: CommonSetting): Promise<string | null>;
  of<R extends AnyRow>(description: TableDescription<R>): Table<R>;
  /** The same table for a copy of the store. What it inserts is not audited. */
  copyOf<R extends AnyRow>(description: TableDescription<R>): TableCopy<R>;
  /** Acquires the named lock until the transaction ends; false at once when another transaction has it. */
  tryLock(name: string): Promise<boolean>;
  /** Calls back once the transaction is committed; never when it is rolled back. */
  afterCommit(callback: () => void): void;
  /**
   * Calls back as soon as transactions that begin from then on see the changes: after the commit, or before it where they
   * wait for this one to end and may share its commit. It may still be rolled back then.
   */
  whenVisible(callback: () => void): void;
  /** Warns the caller, in a sentence, of a change that may not do all that they expect. It is made all the same. */
  warn(warning: string): void;
  /** The warnings of the transaction so far. */
  readonly warnings: readonly string[];
}

/** The options of a transaction. */
export interface TransactionOptions {
  /** Whether the transaction only reads, and sees one snapshot throughout. @default false */
  readonly readOnly?: boolean;
  /**
   * Whether the transaction, which must be `readOnly`, runs one statement, so that it needs no snapshot; a second one
   * fails. @default false
   */
  readonly singleStatement?: boolean;
  /**
   * Whether the commit waits for the disk. Where it does not, a power failure may undo the transaction as a whole, with
   * the later ones that did not wait either; the end of the process undoes nothing. @default true
   */
  readonly durable?: boolean;
}

/** Hints between the processes that share a store. They may be lost: polling finds what they told of. */
export interface Hints {
  /**
   * Joins the processes that give each other hints. It never fails: while the store is not available it tries again, and
   * calls back once it is, because hints may have been lost.
   * @param onHint called when another process has sent a hint.
   */
  open(onHint: () => void): OpenHints;
}

export interface OpenHints {
  /** Sends a hint to the others, a few milliseconds later: those that are sent until then are one. */
  send(): void;
  close(): Promise<void>;
}

/**
 * PORT: stores rows in transactions. A reader sees only what was committed. The writes of a transaction are durable when
 * its promise resolves, unless its options say otherwise, and undone when it rejects.
 */
export interface Store {
  /** The kind of database, such as `sqlite`; `/status` reports it. */
  readonly kind: string;
  /**
   * The same store on connections of its own, for work in the background: leases are renewed also while requests hold all
   * connections that requests have. @default the store itself
   */
  readonly background?: Store;
  /**
   * Moves what was written to where it belongs: work that writes much calls it after some transactions, so that no commit
   * has to do that for many of them at once. @default the database does so by itself
   */
  checkpoint?(): Promise<void>;
  /**
   * Gives part of the space that deleted rows have left back to the operating system, without holding others up for long.
   * @returns whether there is more to give back. @default the database does so by itself
   */
  releaseSpace?(): Promise<boolean>;
  /** Tells other processes that there may be work, so that they need not wait for their next poll. @default they poll */
  readonly hints?: Hints;
  /**
   * Runs the work in one transaction and commits it. The work is run again from its start, some times at most, when it
   * fails with DatabaseBusy (deadlock, serialization), StaleRow or KeyTaken, so it must do nothing outside but through
   * `afterCommit`.
   * @throws what the work throws; HorariumError `unavailable` when the database is gone.
   */
  transaction<T>(work: (tables: Tables) => Promise<T>, options?: TransactionOptions): Promise<T>;
  close(): Promise<void>;
}
