import type { Instant } from '../loop/clock.ts';
import type { TableDescription } from '../resource/define-resource.ts';

export type Comparison = '=' | '!=' | '<' | '<=' | '>' | '>=' | 'in';
/**
 * One condition. `=` and `!=` take null and treat it as a value (`is null`); the orderings never match null.
 * `in` takes an array; an empty one matches nothing.
 */
export type Term = readonly [field: string, is: Comparison, value: unknown] | { readonly any: readonly Where[] };
/**
 * Conditions that must all hold; none = every row. Where they begin with a list (`in`), that is what is searched by:
 * it should be what few rows match.
 */
export type Where = readonly Term[];

export interface Query {
  readonly where?: Where;
  /** Nulls come last in both directions; `id` ascending breaks ties unless it is named. */
  readonly order?: readonly (readonly [field: string, direction: 'asc' | 'desc'])[];
  readonly limit?: number;
  readonly offset?: number;
  /** Only these fields are read; the others are missing in the rows. */
  readonly columns?: readonly string[];
  /**
   * Locks the rows found until the transaction ends: `wait` waits for others who hold them,
   * `skip` leaves out rows that others hold. A store that runs one transaction at a time may ignore it.
   */
  readonly lock?: 'wait' | 'skip';
}

export interface Change<R> {
  /** The row as it was read. */
  readonly row: R;
  readonly set: Partial<R>;
}

/**
 * One table inside one transaction. Rows are plain data: every column is there, unset ones are null;
 * instants are numbers, JSON is structured data that the caller must not change in place.
 */
export interface Table<R extends { id: number } = { id: number }> {
  find(query?: Query): Promise<R[]>;
  /** Counts at most `most` rows, so that a large table costs no more than that. */
  count(where?: Where, most?: number): Promise<number>;
  /** How many rows there are for each combination of those fields. */
  countBy(by: readonly string[], where?: Where): Promise<{ values: unknown[]; count: number }[]>;
  /**
   * Writes complete rows but for `id`; returns the ids in the order given, ascending.
   * @throws HorariumError `conflict` when a unique group is already taken; the transaction is lost then.
   */
  insert(rows: readonly Omit<R, 'id'>[]): Promise<number[]>;
  /** Like insert, but leaves out rows whose `key` (a unique group) is taken: their place holds null. */
  insertAbsent(rows: readonly Omit<R, 'id'>[], key: readonly string[]): Promise<(number | null)[]>;
  /**
   * Writes each `set` and returns the ids that were written. In a table with a `revision` column a row that is
   * not at `row.revision` any more is left alone and its id is missing from the answer.
   */
  update(changes: readonly Change<R>[]): Promise<number[]>;
  /** Writes the same values to every row that matches; returns how many. */
  updateWhere(where: Where, set: Partial<R>): Promise<number>;
  /**
   * Deletes what matches and returns those rows as they were.
   * @throws HorariumError `conflict` when another table still refers to one of them.
   */
  delete(where: Where): Promise<R[]>;
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
  of<R extends { id: number }>(description: TableDescription<R>): Table<R>;
  /** Takes the named lock until the transaction ends; false at once when someone else holds it. */
  tryLock(name: string): Promise<boolean>;
  /** Calls back once the transaction is really committed; not when it was rolled back. */
  afterCommit(callback: () => void): void;
}

/** What a transaction is for. */
export interface TransactionOptions {
  /**
   * It only reads, and sees one moment throughout; `once`: it reads only one thing, so that nothing has to hold that
   * moment, and is refused a second one.
   */
  readonly readOnly?: boolean | 'once';
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
