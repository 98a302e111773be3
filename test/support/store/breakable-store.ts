import {
  type AnyRow,
  App,
  HorariumError,
  type Query,
  type Store,
  type Table,
  type TableDescription,
  type Tables,
  type TransactionOptions,
} from '@horarium/core';
import { overrideTable, overrideTables, typedTable } from '#core/store/override-tables';

/** A store whose connection a test breaks, whose commits it delays or leaves unacknowledged, and whose rows it locks. */
export class BreakableStore implements Store {
  readonly kind: Store['kind'];
  /** Refuses every transaction, as when the database is unreachable. */
  broken = false;
  /** Commits, but answers with an error, as when the connection is lost before the acknowledgement. */
  unacknowledged = false;
  /** Commits, but answers only after this. */
  delay: Promise<void> | null = null;
  /** Awaited before a writing transaction reads that table, as when the database hangs. */
  beforeRead: ((table: TableDescription) => Promise<void>) | null = null;
  /** Whether another transaction seems to have locked rows, all or those that match: they are skipped where locked ones are. */
  rowsLocked: boolean | ((row: AnyRow) => boolean) = false;
  /** The error that a transaction fails with instead of doing its work; null = it does its work. */
  fault: (readOnly: boolean) => Error | null = () => null;
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
    this.kind = store.kind;
  }

  async transaction<T>(work: (tables: Tables) => Promise<T>, options?: TransactionOptions): Promise<T> {
    const readOnly = Boolean(options?.readOnly);
    if (this.broken) throw unavailable();
    const fault = this.fault(readOnly);
    if (fault) throw fault;
    const result = await this.#store.transaction(readOnly ? work : (tables) => work(this.#hanging(tables)), options);
    if (readOnly) return result;
    if (this.unacknowledged) throw unavailable();
    await this.delay;
    return result;
  }

  /** Calls back once, in the transaction that prepares jobs, before it reads their Apps. */
  whilePreparing(work: () => void): void {
    this.beforeRead = async (table) => {
      if (table !== App) return;
      this.beforeRead = null;
      work();
    };
  }

  #hanging(tables: Tables): Tables {
    const of = <R extends AnyRow>(description: TableDescription<R>): Table<R> => {
      const table = tables.of<AnyRow>(description);
      const find = async (query?: Query) => {
        await this.beforeRead?.(description);
        const rows = await table.find(query);
        const isLocked = this.rowsLocked;
        if (query?.lock !== 'skip' || isLocked === false) return rows;
        return isLocked === true ? [] : rows.filter((row) => !isLocked(row));
      };
      return typedTable(overrideTable(table, { find }), description);
    };
    return overrideTables(tables, { of, ...(this.rowsLocked && { serial: false }) });
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}

/** Returns the error of a lost connection. */
function unavailable(): HorariumError {
  return new HorariumError('unavailable', 'The connection to the database was lost.');
}
