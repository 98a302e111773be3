import {
  type AnyRow,
  AuditLog,
  Calendar,
  Company,
  Event,
  Job,
  Pause,
  type Query,
  type Store,
  type Table,
  type TableDescription,
  type Tables,
  Task,
  type Where,
} from '@horarium/core';
import { overrideTable, overrideTables, typedTable } from '#core/store/override-tables';
import { Setting } from '#core/store/setting';
import { Schedule } from '#core/template/schedule';

/** Plants a bug: claims do not see running jobs, so that jobs of one template overlap. */
export function withDoubleClaims(store: Store): Store {
  return withBug(store, Job, (table) => ({
    find: async (query?: Query) => (readsRunningJobs(query) ? [] : table.find(query)),
  }));
}

/** Plants a bug: no company seems to have a `max_running`. */
export function withoutMaxRunning(store: Store): Store {
  return withBug(store, Company, (table) => ({
    find: async (query?: Query) => (conditionsOf(query).includes('max_running') ? [] : table.find(query)),
  }));
}

/** Plants a bug: no pause seems to be in force. */
export function withoutPauses(store: Store): Store {
  return withBug(store, Pause, (table) => ({
    find: async (query?: Query) => (conditionsOf(query).includes('ended_at') ? [] : table.find(query)),
  }));
}

/** Plants a bug: those who plan windows find no dates in calendars. */
export function withoutCalendars(store: Store): Store {
  return withBug(store, Calendar, (table) => ({
    find: async (query?: Query) => {
      const rows = await table.find(query);
      const isPlanned = (query?.where ?? []).some((term) => !('any' in term) && term[1] === 'in');
      return isPlanned ? rows.map((row) => ({ ...row, dates: [] })) : rows;
    },
  }));
}

/** Plants a bug: no second company seems to be enabled, so that one takes all slots. */
export function withoutShares(store: Store): Store {
  return withBug(store, Company, () => ({ count: async () => 1 }));
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
      return conditionsOf(query).includes('id in') ? rows.map((row) => ({ ...row, claims: 0 })) : rows;
    },
  }));
}

/** Plants a bug: what an event has fired is forgotten, so that a retry fires all of its rules again. */
export function withForgottenFirings(store: Store): Store {
  return withBug(store, Event, (table) => ({
    find: async (query?: Query) => (await table.find(query)).map((row) => ({ ...row, fired: null })),
  }));
}

/** Plants a bug: one in ten events is not written. */
export function withLostEvents(store: Store): Store {
  let events = 0;
  return withBug(store, Event, (table) => ({
    insert: (rows) => table.insert(rows.filter(() => ++events % 10 !== 0)),
  }));
}

/** Plants a bug: an event stays pending although its rules have fired, so that they fire again. */
export function withRepeatedEvents(store: Store): Store {
  let events = 0;
  return withBug(store, Event, (table) => ({
    update: (changes) =>
      table.update(
        changes.map(({ row, set }) =>
          ++events % 10 === 0 ? { row, set: { ...set, state: 'pending', fired: null } } : { row, set },
        ),
      ),
  }));
}

/** Plants a bug: a jump of the clock is recorded, but never held. */
export function withoutHeldJumps(store: Store): Store {
  return withBug(store, Setting, (table) => ({
    updateWhere: (where, set) =>
      table.updateWhere(where, { ...set, value: String(set['value']).replace(/"held":\d+/, '"held":0') }),
  }));
}

/** Plants a bug: the schedules stay as they were when the clock is set back. */
export function withStaleSchedules(store: Store): Store {
  return withBug(store, Schedule, (table) => ({
    updateWhere: async (where, set, add) => (readsLaterThan(where, 'next_at') ? 0 : table.updateWhere(where, set, add)),
  }));
}

function readsLaterThan(where: Where, column: string): boolean {
  return where.some((term) => !('any' in term) && term[0] === column && term[1] === '>');
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

/** Returns tables with a bug in one of them. */
export function withBuggyTable(
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
