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
import { overrideTables } from '#core/store/override-tables';

/** Plants a bug: a claim does not see running jobs, so that jobs overlap that must not. */
export function withDoubleClaims(store: Store): Store {
  return withBug(store, Job, (table) => ({
    find: async (query?: Query) => (readsRunningJobs(query) ? [] : table.find(query)),
  }));
}

/** Plants a bug: one in ten entries of the audit log is not written. */
export function withDroppedEntries(store: Store): Store {
  let entries = 0;
  return withBug(store, AuditLog, (table) => ({
    insert: (rows) => table.insert(rows.filter(() => ++entries % 10 !== 0)),
  }));
}

/** Plants a bug: one in ten windows seems to have its Task already, so none is created. */
export function withSkippedWindows(store: Store): Store {
  let windows = 0;
  return withBug(store, Task, (table) => ({
    async insertAbsent(rows, key) {
      const passed = rows.map(() => ++windows % 10 !== 0);
      const ids = await table.insertAbsent(
        rows.filter((_row, index) => passed[index]),
        key,
      );
      return passed.map((isPassed) => (isPassed ? (ids.shift() ?? null) : null));
    },
  }));
}

function readsRunningJobs({ where = [] }: Query = {}): boolean {
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
  return overrideTables(tables, {
    of<R extends AnyRow>(description: TableDescription<R>): Table<R> {
      if (description.name !== where.name) return tables.of(description);
      const table = tables.of<AnyRow>(description);
      const buggy = bug(table);
      const get = (intact: Table, name: keyof Table) => buggy[name] ?? intact[name].bind(intact);
      return typedTable(new Proxy(table, { get }), description);
    },
  });
}
