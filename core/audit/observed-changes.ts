import type { Tables } from '../store/store.ts';
import type { AnyRow, TableDescription } from '../store/table.ts';

/** A record before and after a transaction; null where it did not exist. */
export interface RowChange<R extends AnyRow = AnyRow> {
  readonly before: R | null;
  readonly after: R | null;
}

/** Returns the records of a table that the transaction has changed so far, in the order in which they were first changed. */
export type ChangedRows = <R extends AnyRow>(description: TableDescription<R>) => readonly RowChange<R>[];

/**
 * Writes what follows from the changes of records, such as the events that they cause, in the transaction that made them:
 * both are committed or neither, whichever use case made the change.
 */
export interface ChangeObserver {
  /** The tables whose changes it is told of; they must be audited. */
  readonly tables: readonly Pick<TableDescription, 'name'>[];
  /** Runs once, at the end of the transaction, if it changed any of them. What observers change is observed by none. */
  observe(tables: Tables, changed: ChangedRows): Promise<void>;
}

/** The changes of one transaction to the tables that are observed. */
export class ObservedChanges {
  readonly #observers: readonly ChangeObserver[];
  readonly #changes = new Map<string, Map<number, RowChange>>();

  constructor(observers: readonly ChangeObserver[]) {
    this.#observers = observers;
    for (const { name } of observers.flatMap(({ tables }) => tables)) this.#changes.set(name, new Map());
  }

  note({ name }: TableDescription, before: AnyRow | null, after: AnyRow | null): void {
    const id = (after ?? before)?.id;
    const rows = this.#changes.get(name);
    if (!rows || id === undefined) return;
    const first = rows.get(id);
    rows.set(id, { before: first ? first.before : before, after });
  }

  /** Reports the changes of the transaction to each observer of a table that has some. */
  async tell(tables: Tables): Promise<void> {
    const changes = new Map([...this.#changes].map(([name, rows]) => [name, [...rows.values()]]));
    const changed: ChangedRows = <R extends AnyRow>({ name }: TableDescription<R>) =>
      (changes.get(name) ?? []) as readonly RowChange[] as readonly RowChange<R>[];
    const concerned = this.#observers.filter(({ tables }) =>
      tables.some(({ name }) => (changes.get(name)?.length ?? 0) > 0),
    );
    // Side by side, so that a database can answer them in one round trip.
    await Promise.all(concerned.map((observer) => observer.observe(tables, changed)));
  }
}
