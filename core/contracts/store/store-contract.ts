import type { Clause } from '../clause.ts';
import { concurrencyClauses } from './concurrency.ts';
import { copyClauses } from './copies.ts';
import { hintClauses } from './hints.ts';
import { queryClauses } from './queries.ts';
import { rowClauses } from './rows.ts';
import { ruleClauses } from './rules.ts';
import { Child, type StoreTraits, type StoreUnderTest, sampleTables } from './samples.ts';
import { transactionClauses } from './transactions.ts';

/**
 * The contract of every store, clause by clause. Each check empties the tables first, so they run one after another.
 * @param provide returns the store, opened with `sampleTables`; its author opens it before the first check and closes it
 * after the last.
 */
export function storeContract(provide: () => StoreUnderTest, traits: StoreTraits = {}): readonly Clause[] {
  const clauses = [
    ...transactionClauses(provide, traits),
    ...rowClauses(provide),
    ...copyClauses(provide),
    ...ruleClauses(provide),
    ...queryClauses(provide),
    ...concurrencyClauses(provide, traits),
    ...(traits.hints ? hintClauses(provide) : []),
  ];
  return clauses.map(({ title, check }) => ({
    title,
    async check() {
      await empty(provide());
      await check();
    },
  }));
}

/** Deletes the rows that refer to others first. */
async function empty({ store }: StoreUnderTest): Promise<void> {
  const tables = [Child, ...sampleTables.filter((table) => table !== Child)];
  await store.transaction(async (transaction) => {
    for (const table of tables) await transaction.of(table).delete([]);
  });
}
