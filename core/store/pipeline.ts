import type { Store, Tables, TransactionOptions } from './store.ts';

/** What runs in a transaction. */
export type Work<T> = (tables: Tables) => Promise<T>;

/**
 * A concern of every transaction of a store, such as its time or its cache: runs the work with the tables that it needs,
 * and writes what belongs to the transaction before the commit.
 */
export type Concern = <T>(work: Work<T>, options: TransactionOptions) => Work<T>;

/** Returns a store whose transactions have these concerns, each on the tables of those before it. */
export function pipeline(store: Store, concerns: readonly Concern[]): Store {
  return {
    kind: store.kind,
    checkpoint: async () => store.checkpoint?.(),
    releaseSpace: async () => (await store.releaseSpace?.()) ?? false,
    close: () => store.close(),
    transaction: (work, options = {}) =>
      store.transaction(
        concerns.reduceRight((inner, concern) => concern(inner, options), work),
        options,
      ),
  };
}
