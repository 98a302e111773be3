import type { Store, Table, TableDescription, Tables } from '@horarium/core';
import { overrideTables } from '#core/store/override-tables';

/** Records in `calls` which methods of a table are called. */
export function withRecordedCalls(store: Store, { name }: { readonly name: string }, calls: string[]): Store {
  const recorded = (tables: Tables): Tables => {
    const of = (description: TableDescription) => {
      const table = tables.of(description);
      if (description.name !== name) return table;
      return new Proxy(table, {
        get(target, method: keyof Table) {
          calls.push(method);
          return target[method].bind(target);
        },
      });
    };
    return overrideTables(tables, { of: of as never });
  };
  const transaction: Store['transaction'] = (work, options) =>
    store.transaction((tables) => work(recorded(tables)), options);
  return { kind: store.kind, close: () => store.close(), transaction };
}
