import type { Instant } from '../loop/clock.ts';
import { resumeThread } from '../loop/thread-holder.ts';
import { typedTable } from './override-tables.ts';
import type { Query } from './query.ts';
import { type CommonSetting, commonSettings, Setting, type StoredSetting } from './setting.ts';
import type { Table, TableCopy, Tables, TransactionOptions } from './store.ts';
import type { AnyRow, TableDescription } from './table.ts';

/** The port of a store inside an open transaction; `TransactionTables` adds the rules of use. */
export interface Session {
  /** Whether transactions that write run one after another. */
  readonly serial: boolean;
  now(): Promise<Instant>;
  table(description: TableDescription): Table;
  copyOf(description: TableDescription): TableCopy;
  tryLock(name: string): Promise<boolean>;
  /** Reads settings by their names, and the time in the same statement. @default settings are read from their table */
  settings?(names: readonly string[]): Promise<readonly StoredSetting[]>;
}

/** What a call does, which the options of its transaction may forbid. */
type Use = 'read' | 'write' | 'lock' | 'time';

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
  readonly #afterCommit: (() => void)[] = [];
  readonly #whenVisible: (() => void)[] = [];
  readonly warnings: string[] = [];
  #now: Promise<Instant> | undefined;
  #settings: Promise<ReadonlyMap<string, string | null>> | undefined;
  /** The number of calls that may need a statement; `now` belongs to no snapshot and does not count. */
  #statements = 0;
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

  /** Runs the callbacks of those who wait for others to see the changes, unless it did so before. */
  visible(): void {
    callBack(this.#whenVisible.splice(0));
  }

  /** Runs the callbacks of the commit. */
  committed(): void {
    this.visible();
    callBack(this.#afterCommit);
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** The error of the first call that failed, if one did. */
  get failure(): { readonly error: unknown } | undefined {
    return this.#failure;
  }

  now(): Promise<Instant> {
    return this.#guard('time', () => {
      this.#now ??= this.#session.now();
      return this.#now;
    });
  }

  get serial(): boolean {
    return this.#session.serial;
  }

  async setting(name: CommonSetting): Promise<string | null> {
    this.#settings ??= this.#readSettings();
    return (await this.#settings).get(name) ?? null;
  }

  async #readSettings(): Promise<ReadonlyMap<string, string | null>> {
    const session = this.#session;
    const rows = await (session.settings
      ? this.#guard('read', () => (session as Required<Session>).settings(commonSettings))
      : this.of(Setting).find({ where: [['name', 'in', commonSettings]] }));
    return new Map(rows.map(({ name, value }) => [name, value]));
  }

  tryLock(name: string): Promise<boolean> {
    return this.#guard('lock', () => this.#session.tryLock(name));
  }

  afterCommit(callback: () => void): void {
    if (this.#ended) throw ended();
    this.#afterCommit.push(callback);
  }

  whenVisible(callback: () => void): void {
    if (this.#ended) throw ended();
    this.#whenVisible.push(callback);
  }

  warn(warning: string): void {
    if (this.#ended) throw ended();
    this.warnings.push(warning);
  }

  of<R extends AnyRow>(description: TableDescription<R>): Table<R> {
    if (this.#ended) throw ended();
    let table = this.#tables.get(description);
    if (!table) {
      table = guardedTable(this.#session.table(description), this.#guardOf(description));
      this.#tables.set(description, table);
    }
    return typedTable(table, description);
  }

  copyOf<R extends AnyRow>(description: TableDescription<R>): TableCopy<R> {
    if (this.#ended) throw ended();
    const copy = this.#session.copyOf(description);
    const guard = this.#guardOf(description);
    return {
      lastId: () => guard('read', () => copy.lastId()),
      insert: (rows) => guard('write', () => copy.insert(rows)),
      setLastId: (id) => guard('write', () => copy.setLastId(id)),
    };
  }

  #guardOf({ table }: TableDescription): Guard {
    return table === Setting.table ? this.#guardSettings : this.#guard;
  }

  /** Makes a call that the transaction allows. A call that it refuses fails the transaction, like one that fails. */
  readonly #guard = <T>(use: Use, call: () => Promise<T>): Promise<T> => {
    if (this.#ended) return Promise.reject(ended());
    if (this.#failure) return Promise.reject(this.#failure.error);
    if (use !== 'time') this.#statements += 1;
    // Others may have changed the settings before the lock was acquired.
    if (use === 'lock' && !this.serial) this.#settings = undefined;
    const refusal = this.#refusalOf(use);
    const result = refusal === undefined ? call() : Promise.reject<T>(new Error(refusal));
    result.then(resumeThread, this.#fail);
    return result;
  };

  readonly #guardSettings = <T>(use: Use, call: () => Promise<T>): Promise<T> => {
    if (use === 'write') this.#settings = undefined;
    return this.#guard(use, call);
  };

  readonly #fail = (error: unknown): void => {
    this.#failure ??= { error };
    resumeThread();
  };

  #refusalOf(use: Use): string | undefined {
    if (!this.#readOnly) return undefined;
    if (use === 'write') return 'A transaction that only reads cannot write.';
    if (use === 'lock') return 'A transaction that only reads cannot lock.';
    if (use !== 'time' && this.#singleStatement && this.#statements > 1)
      return 'A transaction of a single statement cannot run another one.';
    return undefined;
  }
}

/** An error of a callback becomes an unhandled rejection of the process. */
function callBack(callbacks: readonly (() => void)[]): void {
  for (const callback of callbacks) {
    try {
      callback();
    } catch (error) {
      void Promise.reject(error);
    }
  }
}

function ended(): Error {
  return new Error('This transaction has ended; its tables cannot be used any more.');
}

type Guard = <T>(use: Use, call: () => Promise<T>) => Promise<T>;

/** Wraps a table so that each call passes the guard of its transaction. */
function guardedTable(table: Table, guard: Guard): Table {
  return {
    find: (query?: Query) => guard(query?.lock ? 'lock' : 'read', () => table.find(query)),
    count: (where, max) => guard('read', () => table.count(where, max)),
    countBy: (by, where) => guard('read', () => table.countBy(by, where)),
    sumBy: (by, sums, where) => guard('read', () => table.sumBy(by, sums, where)),
    histogram: (by, steps, where) => guard('read', () => table.histogram(by, steps, where)),
    insert: (rows) => guard('write', () => table.insert(rows)),
    insertAbsent: (rows, key) => guard('write', () => table.insertAbsent(rows, key)),
    update: (changes) => guard('write', () => table.update(changes)),
    updateWhere: (where, set, add) => guard('write', () => table.updateWhere(where, set, add)),
    delete: (where) => guard('write', () => table.delete(where)),
    purge: (where) => guard('write', () => table.purge(where)),
  };
}
