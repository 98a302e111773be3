import {
  type AnyRow,
  AuditLog,
  Job,
  type Query,
  type Store,
  type Table,
  type TableDescription,
  type Tables,
  Task,
  typedTable,
} from '@horarium/core';
import { withTables } from '#core/store/with-tables';

/** Nobody sees the jobs that run when due ones are claimed, so what must not overlap does. */
export function withDoubleClaims(store: Store): Store {
  return withBug(store, Job, (table) => ({
    find: async (query?: Query) => (asksWhatRuns(query) ? [] : table.find(query)),
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

function withBug(store: Store, where: { readonly name: string }, bug: (table: Table) => Partial<Table>): Store {
  return {
    kind: store.kind,
    close: () => store.close(),
    transaction: (work, options) => store.transaction((tables) => work(withBuggyTable(tables, where, bug)), options),
  };
}

function withBuggyTable(
  tables: Tables,
  where: { readonly name: string },
  bug: (table: Table) => Partial<Table>,
): Tables {
  return withTables(tables, {
    of<R extends AnyRow>(description: TableDescription<R>): Table<R> {
      if (description.name !== where.name) return tables.of(description);
      const table = tables.of<AnyRow>(description);
      const buggy = bug(table);
      const get = (sound: Table, name: keyof Table) => buggy[name] ?? sound[name].bind(sound);
      return typedTable(new Proxy(table, { get }), description);
    },
  });
}
