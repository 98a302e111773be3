import { storeConcurrency } from './store-concurrency.ts';
import { storeQueries } from './store-queries.ts';
import { storeRows } from './store-rows.ts';
import { storeRules } from './store-rules.ts';
import { type StoreFixture, sampleTables, type Traits } from './store-samples.ts';
import { storeTransactions } from './store-transactions.ts';

/** The contract of every store. `open` opens an empty store with the sample tables. */
export function storeContract(name: string, open: () => Promise<StoreFixture>, traits: Traits = {}): void {
  describe(`${name} keeps the contract of the store`, () => {
    let fixture: StoreFixture | undefined;
    const current = (): StoreFixture => fixture as StoreFixture;

    before(async () => {
      fixture = await open();
    });
    after(() => fixture?.close());
    beforeEach(async () => {
      await current().store.transaction(async (tables) => {
        for (const table of [...sampleTables].reverse().sort((a) => (a.name === 'Child' ? -1 : 1)))
          await tables.of(table).delete([]);
      });
    });

    storeTransactions(current, traits);
    storeRows(current);
    storeRules(current);
    storeQueries(current);
    storeConcurrency(current, traits);
  });
}
