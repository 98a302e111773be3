import { type StoreTraits, type StoreUnderTest, storeContract } from '@horarium/core/contracts';
import { defineContractTests } from '../support/mocha/define-contract-tests.ts';
import { itAnswersRandomQueries } from './store-queries.ts';

/** A store that is opened for its contract. */
export interface StoreFixture extends StoreUnderTest {
  close(): Promise<void>;
}

/** Defines the tests of the published contract of stores, and those of random queries. */
export function defineStoreTests(name: string, open: () => Promise<StoreFixture>, traits: StoreTraits = {}): void {
  describe(`${name} keeps the contract of the store`, () => {
    let fixture: StoreFixture | undefined;
    const current = (): StoreFixture => fixture as StoreFixture;

    before(async () => {
      fixture = await open();
    });
    after(() => fixture?.close());

    defineContractTests(storeContract(current, traits));
    itAnswersRandomQueries(current);
  });
}
