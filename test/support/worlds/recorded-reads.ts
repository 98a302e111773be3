import type { AnyRow, Core, Query, TableDescription, Tables } from '@horarium/core';
import { overrideTable, overrideTables } from '#core/store/override-tables';

/** Records the name of the table of each query that the core makes from now on, in order. */
export function recordReads({ store }: Pick<Core, 'store'>): readonly string[] {
  const reads: string[] = [];
  const recorded = (tables: Tables): Tables => {
    const of = (description: TableDescription) => {
      const table = tables.of<AnyRow>(description);
      const find = (query?: Query) => {
        reads.push(description.name);
        return table.find(query);
      };
      return overrideTable(table, { find });
    };
    return overrideTables(tables, { of: of as never });
  };
  const [read, transaction] = [store.read.bind(store), store.transaction.bind(store)];
  store.read = (work) => read((tables) => work(recorded(tables)));
  store.transaction = (actor, work) => transaction(actor, (tables) => work(recorded(tables)));
  return reads;
}
