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
} from '@horarium/core';
import { overrideTable, overrideTables, typedTable } from '#core/store/override-tables';

/** Plants a bug: claims do not see running jobs, so that jobs of one template overlap. */
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

/** Plants a bug: for one in ten windows the store reports that its Task exists, so that none is created. */
export function withSkippedWindows(store: Store): Store {
  let windows = 0;
  return withBug(store, Task, (table) => ({
    async insertAbsent(rows, key) {
      const isInserted = rows.map(() => ++windows % 10 !== 0);
      const ids = await table.insertAbsent(
        rows.filter((_row, index) => isInserted[index]),
        key,
      );
      return isInserted.map((inserted) => (inserted ? (ids.shift() ?? null) : null));
    },
  }));
}

/** Plants a bug: each claim counts as the first, so that a job which ends its workers is claimed for ever. */
export function withForgottenClaims(store: Store): Store {
  return withBug(store, Job, (table) => ({
    find: async (query?: Query) => {
      const rows = await table.find(query);
      return conditionsOf(query).includes('queue_at <=') ? rows.map((row) => ({ ...row, claims: 0 })) : rows;
    },
  }));
}

function readsRunningJobs(query?: Query): boolean {
  return conditionsOf(query) === 'runtemplate_id in, state = running';
}

function conditionsOf({ where = [] }: Query = {}): string {
  const conditions = where.map((term) =>
    'any' in term ? 'any' : `${term[0]} ${term[1]} ${term[1] === '=' ? term[2] : ''}`.trim(),
  );
  return conditions.join(', ');
}

function withBug(store: Store, resource: { readonly name: string }, bug: (table: Table) => Partial<Table>): Store {
  return {
    kind: store.kind,
    close: () => store.close(),
    transaction: (work, options) => store.transaction((tables) => work(withBuggyTable(tables, resource, bug)), options),
  };
}

function withBuggyTable(
  tables: Tables,
  resource: { readonly name: string },
  bug: (table: Table) => Partial<Table>,
): Tables {
  return overrideTables(tables, {
    of<R extends AnyRow>(description: TableDescription<R>): Table<R> {
      if (description.name !== resource.name) return tables.of(description);
      const table = tables.of<AnyRow>(description);
      return typedTable(overrideTable(table, bug(table)), description);
    },
  });
}
