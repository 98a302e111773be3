import type { Instant } from '../loop/clock.ts';
import type { TableDescription } from './define-resource.ts';
import type { Table, Tables } from './store.ts';
import type { StoredRow } from './stored-values.ts';

/** What a store does inside an open transaction; the rules of use are added by GuardedTables. */
export interface Session {
  now(): Promise<Instant>;
  table(description: TableDescription): Table<StoredRow>;
  tryLock(name: string): Promise<boolean>;
}

const writes: ReadonlySet<string> = new Set(['insert', 'insertAbsent', 'update', 'updateWhere', 'delete']);

/**
 * The rules of use that all stores share: nothing works after the end, nothing is written in a read-only
 * transaction, and after a failed operation the transaction is lost, as it is on PostgreSQL, even when
 * the work catches the error.
 */
export class GuardedTables implements Tables {
  readonly #session: Session;
  readonly #readOnly: boolean;
  readonly #tables = new Map<TableDescription, Table<StoredRow>>();
  readonly #callbacks: (() => void)[] = [];
  #now: Promise<Instant> | undefined;
  #ended = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(session: Session, readOnly: boolean) {
    this.#session = session;
    this.#readOnly = readOnly;
  }

  /** Runs the work and leaves the transaction ended; rejects when it must not be committed. */
  async run<T>(work: (tables: Tables) => Promise<T>): Promise<T> {
    try {
      const result = await work(this);
      if (this.#failure) throw this.#failure.error;
      return result;
    } finally {
      this.#ended = true;
    }
  }

  /** Calls back everyone who waits for the commit. A callback that throws is left to the process as unhandled. */
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

  get ended(): boolean {
    return this.#ended;
  }

  /** What an operation failed with first, if one did. */
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

  of<R extends { id: number }>(description: TableDescription<R>): Table<R> {
    this.#refuseEnded();
    let table = this.#tables.get(description as TableDescription);
    if (!table) {
      table = this.#guarded(this.#session.table(description as TableDescription), description.table);
      this.#tables.set(description as TableDescription, table);
    }
    return table as unknown as Table<R>;
  }

  #guarded(table: Table<StoredRow>, name: string): Table<StoredRow> {
    const wrap = <A extends unknown[], T>(verb: keyof Table, call: (...given: A) => Promise<T>) => {
      if (!this.#readOnly || !writes.has(verb)) return (...given: A) => this.#guard(() => call(...given));
      return () => this.#guard<T>(() => Promise.reject(new Error(`${name}: this transaction only reads.`)));
    };
    return {
      find: wrap('find', (query) => (this.#readOnly && query?.lock ? cannotLock() : table.find(query))),
      count: wrap('count', (where, most) => table.count(where, most)),
      tally: wrap('tally', (by, where) => table.tally(by, where)),
      insert: wrap('insert', (rows) => table.insert(rows)),
      insertAbsent: wrap('insertAbsent', (rows, key) => table.insertAbsent(rows, key)),
      update: wrap('update', (changes) => table.update(changes)),
      updateWhere: wrap('updateWhere', (where, set) => table.updateWhere(where, set)),
      delete: wrap('delete', (where) => table.delete(where)),
    };
  }

  async #guard<T>(call: () => Promise<T>): Promise<T> {
    this.#refuseEnded();
    if (this.#failure) throw this.#failure.error;
    try {
      return await call();
    } catch (error) {
      this.#failure ??= { error };
      throw error;
    }
  }

  #refuseEnded(): void {
    if (this.#ended) throw new Error('This transaction has ended; its tables cannot be used any more.');
  }
}

function cannotLock(): Promise<never> {
  return Promise.reject(new Error('A transaction that only reads cannot lock.'));
}
