import {
  type AnyRow,
  Job,
  type JobRow,
  type Store,
  type Table,
  type TableDescription,
  type Tables,
} from '@horarium/core';
import { overrideTable, overrideTables, typedTable } from '#core/store/override-tables';

/** A store that notes how many jobs each transaction inserts, and fails where a test says. */
export class JobInsertStore implements Store {
  readonly kind: Store['kind'];
  /** The number of jobs of each transaction that inserted any, in order, whether it was committed or not. */
  readonly inserted: number[] = [];
  /** How many transactions are open. */
  open = 0;
  /** Returns the error with which the insertion of jobs fails; null = they are inserted. */
  fault: (jobs: readonly Omit<JobRow, 'id'>[]) => Error | null = () => null;
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
    this.kind = store.kind;
  }

  async transaction<T>(...[work, options]: Parameters<Store['transaction']>): Promise<T> {
    this.open += 1;
    try {
      return (await this.#store.transaction((tables) => work(this.#watched(tables)), options)) as T;
    } finally {
      this.open -= 1;
    }
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  #watched(tables: Tables): Tables {
    const of = <R extends AnyRow>(description: TableDescription<R>): Table<R> => {
      const table = tables.of<AnyRow>(description);
      if (description.table !== Job.table) return typedTable(table, description);
      const insert = async (rows: readonly Omit<AnyRow, 'id'>[]) => {
        this.inserted.push(rows.length);
        const fault = this.fault(rows as readonly Omit<JobRow, 'id'>[]);
        if (fault) throw fault;
        return table.insert(rows);
      };
      return typedTable(overrideTable(table, { insert }), description);
    };
    return overrideTables(tables, { of });
  }
}
