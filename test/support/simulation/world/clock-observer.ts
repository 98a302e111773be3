import type { AnyRow, Store, Table, TableDescription, Tables } from '@horarium/core';
import type { ClockState } from '#core/service-time/clock-state';
import { overrideTable, overrideTables, typedTable } from '#core/store/override-tables';
import { Setting } from '#core/store/setting';

/** Wraps a store so that each commit of the clock's state is observed, also one whose host never hears of it. */
export function withClockObserver(store: Store, onState: (state: ClockState) => void): Store {
  const observe = (tables: Tables): Tables =>
    overrideTables(tables, {
      of<R extends AnyRow>(description: TableDescription<R>): Table<R> {
        if (description.name !== Setting.name) return tables.of(description);
        const table = tables.of<AnyRow>(description);
        const updateWhere: Table['updateWhere'] = async (where, set, add) => {
          const isClock = where.some((term) => !('any' in term) && term[0] === 'name' && term[2] === 'clock');
          if (isClock) tables.afterCommit(() => onState(JSON.parse(String(set['value']))));
          return table.updateWhere(where, set, add);
        };
        return typedTable(overrideTable(table, { updateWhere }), description);
      },
    });
  return {
    kind: store.kind,
    close: () => store.close(),
    transaction: (work, options) => store.transaction((tables) => work(observe(tables)), options),
  };
}
