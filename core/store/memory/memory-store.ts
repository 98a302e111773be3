import type { Clock } from '../../loop/clock.ts';
import { Semaphore } from '../../loop/semaphore.ts';
import { resumeThread } from '../../loop/thread-holder.ts';
import { retryTransaction } from '../retry-transaction.ts';
import type { Store, Table, TableCopy, Tables, TransactionOptions } from '../store.ts';
import { foreignKeys } from '../store-conflicts.ts';
import type { TableDescription } from '../table.ts';
import { type Session, TransactionTables } from '../transaction-tables.ts';
import { MemoryTable } from './memory-table.ts';

interface MemoryStoreParts {
  readonly tables: readonly TableDescription[];
  readonly clock: Clock;
}

/**
 * A store in this process's memory: transactions run strictly one after another and are undone when they fail. It
 * enforces every rule that the databases enforce, but no row outlives the process.
 */
export class MemoryStore implements Store, AsyncDisposable {
  readonly kind = 'memory';
  readonly #clock: Clock;
  readonly #tables: ReadonlyMap<string, MemoryTable>;
  readonly #turn = new Semaphore(1);

  constructor({ tables, clock }: MemoryStoreParts) {
    this.#clock = clock;
    this.#tables = new Map(tables.map((table) => [table.table, new MemoryTable(table)]));
    for (const key of foreignKeys(tables)) MemoryTable.connect(key, this.#table(key.from), this.#table(key.to));
  }

  transaction<T>(work: (tables: Tables) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    return retryTransaction(() => this.#turn.run(() => this.#run(work, options)));
  }

  /** Resolves when all transactions have ended. */
  close(): Promise<void> {
    return this.#turn.run(async () => undefined);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #run<T>(work: (tables: Tables) => Promise<T>, options: TransactionOptions): Promise<T> {
    resumeThread();
    const undo: (() => void)[] = [];
    const tables = new TransactionTables(this.#session(undo), options);
    try {
      const result = await tables.run(work);
      tables.committed();
      return result;
    } catch (error) {
      for (const step of undo.reverse()) step();
      throw error;
    }
  }

  #session(undo: (() => void)[]): Session {
    const now = this.#clock.now();
    return {
      now: async () => now,
      serial: true,
      tryLock: async () => true,
      table: (description) => tableInTransaction(this.#table(description), undo),
      copyOf: (description) => copyInTransaction(this.#table(description), undo),
    };
  }

  #table(description: TableDescription): MemoryTable {
    const table = this.#tables.get(description.table);
    if (!table) throw new Error(`This store keeps no table ${description.table}.`);
    return table;
  }
}

function tableInTransaction(table: MemoryTable, undo: (() => void)[]): Table {
  return {
    find: async (query = {}) => table.find(query),
    count: async (where, max) => table.count(where, max),
    countBy: async (by, where) => table.countBy(by, where),
    sumBy: async (by, sums, where) => table.sumBy(by, sums, where),
    histogram: async (by, steps, where) => table.histogram(by, steps, where),
    insert: async (rows) => rows.map((row) => table.insert(row, undo)),
    insertAbsent: async (rows, key) => rows.map((row) => table.insertAbsent(row, key, undo)),
    update: async (changes) => {
      const ids = changes.map(({ row }) => row.id);
      if (new Set(ids).size < ids.length) throw new Error('A row is changed twice in one update.');
      return changes.filter((change) => table.update(change, undo)).map(({ row }) => row.id);
    },
    updateWhere: async (where, set, add) => table.updateWhere(where, set, undo, add),
    delete: async (where) => table.delete(where, undo),
    purge: async (where) => table.delete(where, undo).length,
  };
}

function copyInTransaction(table: MemoryTable, undo: (() => void)[]): TableCopy {
  return {
    lastId: async () => table.lastId,
    insert: async (rows) => {
      for (const row of rows) table.insertWithId(row, undo);
    },
    setLastId: async (id) => table.setLastId(id, undo),
  };
}
