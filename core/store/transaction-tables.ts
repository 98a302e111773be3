import type { Instant } from '../loop/clock.ts';
import { typedTable } from './override-tables.ts';
import type { Count, Query, Where } from './query.ts';
import type { Change, Table, Tables, TransactionOptions } from './store.ts';
import type { AnyRow, TableDescription } from './table.ts';

/** The port of a store inside an open transaction; `TransactionTables` adds the rules of use. */
export interface Session {
  now(): Promise<Instant>;
  state(): Promise<string>;
  table(description: TableDescription): Table;
  tryLock(name: string): Promise<boolean>;
}

/**
 * Enforces the rules of use that all stores share: no call works after the end, a transaction that only reads cannot
 * write, one of a single statement cannot run another, and after a failed call the transaction is lost, as it is on
 * PostgreSQL, even when the work catches the error.
 */
export class TransactionTables implements Tables {
  readonly #session: Session;
  readonly #readOnly: boolean;
  readonly #singleStatement: boolean;
  readonly #tables = new Map<TableDescription, Table>();
  readonly #callbacks: (() => void)[] = [];
  #now: Promise<Instant> | undefined;
  #used = false;
  #ended = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(session: Session, { readOnly = false, singleStatement = false }: TransactionOptions) {
    this.#session = session;
    this.#readOnly = readOnly;
    this.#singleStatement = readOnly && singleStatement;
  }

  /** Runs the work and ends the transaction; rejects when it must not be committed. */
  async run<T>(work: (tables: Tables) => Promise<T>): Promise<T> {
    try {
      const result = await work(this);
      if (this.#failure) throw this.#failure.error;
      return result;
    } finally {
      this.#ended = true;
    }
  }

  /** Runs the callbacks of the commit. An error of a callback becomes an unhandled rejection of the process. */
  committed(): void {
    for (const callback of this.#callbacks) {
      try {
        callback();
      } catch (error) {
        void Promise.reject(error);
      }
    }
  }

  now(): Promise<Instant> {
    this.#now ??= this.#guard(() => this.#session.now());
    return this.#ended ? this.#guard(() => this.#session.now()) : this.#now;
  }

  state(): Promise<string> {
    return this.#ask(this.#readOnly ? () => this.#session.state() : cannotName);
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** The error of the first call that failed, if one did. */
  get failure(): { readonly error: unknown } | undefined {
    return this.#failure;
  }

  tryLock(name: string): Promise<boolean> {
    if (this.#readOnly) return this.#guard(cannotLock);
    return this.#guard(() => this.#session.tryLock(name));
  }

  afterCommit(callback: () => void): void {
    this.#refuseEnded();
    this.#callbacks.push(callback);
  }

  of<R extends AnyRow>(description: TableDescription<R>): Table<R> {
    this.#refuseEnded();
    let table = this.#tables.get(description);
    if (!table) {
      table = new TransactionTable(this.#session.table(description), this.#ask, this.#readOnly);
      this.#tables.set(description, table);
    }
    return typedTable(table, description);
  }

  readonly #guard = <T>(call: () => Promise<T>): Promise<T> => {
    if (this.#ended) return Promise.reject(ended());
    if (this.#failure) return Promise.reject(this.#failure.error);
    const result = call();
    result.catch(this.#fail);
    return result;
  };

  /** Guards every call but `now`, which belongs to no snapshot. */
  readonly #ask: Guard = (call) => {
    const more = this.#singleStatement && this.#used;
    this.#used = true;
    return this.#guard(more ? cannotReadMore : call);
  };

  readonly #fail = (error: unknown): void => {
    this.#failure ??= { error };
  };

  #refuseEnded(): void {
    if (this.#ended) throw ended();
  }
}

function ended(): Error {
  return new Error('This transaction has ended; its tables cannot be used any more.');
}

type Guard = <T>(call: () => Promise<T>) => Promise<T>;

/** Enforces the rules of use on one table. */
class TransactionTable implements Table {
  readonly #table: Table;
  readonly #guard: Guard;
  readonly #readOnly: boolean;

  constructor(table: Table, guard: Guard, readOnly: boolean) {
    this.#table = table;
    this.#guard = guard;
    this.#readOnly = readOnly;
  }

  find(query?: Query): Promise<AnyRow[]> {
    return this.#guard(() => (this.#readOnly && query?.lock ? cannotLock() : this.#table.find(query)));
  }

  count(where?: Where, max?: number): Promise<number> {
    return this.#guard(() => this.#table.count(where, max));
  }

  countBy(by: readonly string[], where?: Where): Promise<Count<AnyRow>[]> {
    return this.#guard(() => this.#table.countBy(by, where));
  }

  insert(rows: readonly Omit<AnyRow, 'id'>[]): Promise<number[]> {
    return this.#write(() => this.#table.insert(rows));
  }

  insertAbsent(rows: readonly Omit<AnyRow, 'id'>[], key: readonly string[]): Promise<(number | null)[]> {
    return this.#write(() => this.#table.insertAbsent(rows, key));
  }

  update(changes: readonly Change[]): Promise<number[]> {
    return this.#write(() => this.#table.update(changes));
  }

  updateWhere(where: Where, set: Partial<AnyRow>): Promise<number> {
    return this.#write(() => this.#table.updateWhere(where, set));
  }

  delete(where: Where): Promise<AnyRow[]> {
    return this.#write(() => this.#table.delete(where));
  }

  #write<T>(call: () => Promise<T>): Promise<T> {
    return this.#guard(this.#readOnly ? cannotWrite : call);
  }
}

function cannotName(): Promise<never> {
  return Promise.reject(new Error('Only a transaction that only reads can name the state it sees.'));
}

function cannotWrite(): Promise<never> {
  return Promise.reject(new Error('A transaction that only reads cannot write.'));
}

function cannotReadMore(): Promise<never> {
  return Promise.reject(new Error('A transaction of a single statement cannot run another one.'));
}

function cannotLock(): Promise<never> {
  return Promise.reject(new Error('A transaction that only reads cannot lock.'));
}
