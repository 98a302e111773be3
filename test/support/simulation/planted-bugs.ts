import {
  AuditLog,
  Job,
  type Query,
  type Store,
  type Table,
  type TableDescription,
  type Tables,
  Task,
} from '@horarium/core';
import { withTables } from '#core/store/with-tables';

type AnyTable = Table<{ id: number } & Record<string, unknown>>;

/** Nobody sees the jobs that run when due ones are claimed, so what must not overlap does. */
export function withDoubleClaims(store: Store): Store {
  return withBug(store, Job, (table) => ({
    find: (query) => (asksWhatRuns(query) ? Promise.resolve([]) : table.find(query)),
  }));
}

/** Now and then an entry of the audit log is not written. */
export function withDroppedEntries(store: Store): Store {
  let entries = 0;
  return withBug(store, AuditLog, (table) => ({
    insert: (rows) => table.insert(rows.filter(() => ++entries % 10 !== 0)),
  }));
}

/** Now and then a window looks as if it had its Task already. */
export function withSkippedWindows(store: Store): Store {
  let windows = 0;
  return withBug(store, Task, (table) => ({
    async insertAbsent(rows, key) {
      const kept = rows.map(() => ++windows % 10 !== 0);
      const ids = await table.insertAbsent(
        rows.filter((_row, index) => kept[index]),
        key,
      );
      return kept.map((keep) => (keep ? (ids.shift() ?? null) : null));
    },
  }));
}

function asksWhatRuns({ where = [] }: Query = {}): boolean {
  const names = where.map((term) =>
    'any' in term ? 'any' : `${term[0]} ${term[1]} ${term[1] === '=' ? term[2] : ''}`.trim(),
  );
  return names.join(', ') === 'runtemplate_id in, state = running';
}

function withBug(store: Store, where: { readonly name: string }, bug: (table: AnyTable) => Partial<AnyTable>): Store {
  return {
    kind: store.kind,
    close: () => store.close(),
    transaction: (work, options) => store.transaction((tables) => work(withBuggyTable(tables, where, bug)), options),
  };
}

function withBuggyTable(
  tables: Tables,
  where: { readonly name: string },
  bug: (table: AnyTable) => Partial<AnyTable>,
): Tables {
  return withTables(tables, {
    of<R extends { id: number }>(description: TableDescription<R>): Table<R> {
      const table = tables.of(description);
      if (description.name !== where.name) return table;
      const buggy = bug(table as unknown as AnyTable) as Partial<Table<R>>;
      return new Proxy(table, { get: (sound, name: keyof Table<R>) => buggy[name] ?? sound[name].bind(sound) });
    },
  });
}
