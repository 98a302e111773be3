import type { AnyRow, Core, Query, TableDescription, Tables } from '@horarium/core';
import { overrideTable, overrideTables } from '#core/store/override-tables';

/** The rows that a query reads: the name of their table, and which of their columns; undefined = all. */
interface RecordedRead {
  readonly table: string;
  readonly columns: readonly string[] | undefined;
}

/** Records each query that a store makes from now on, in order. */
export function recordReads({ store }: Pick<Core, 'store'>): readonly RecordedRead[] {
  const reads: RecordedRead[] = [];
  const recorded = (tables: Tables): Tables => {
    const of = (description: TableDescription) => {
      const table = tables.of<AnyRow>(description);
      const find = (query?: Query) => {
        reads.push({ table: description.name, columns: query?.columns });
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
