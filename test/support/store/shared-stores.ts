import type { Store } from '@horarium/core';
import { openStore } from '../../../adapters/mikro-orm/open-store.ts';
import { databaseKinds, type TestDatabase } from './test-databases.ts';

/** Two connections to one empty store, one for each host. */
export interface SharedStores {
  readonly stores: readonly [Store, Store];
  close(): Promise<void>;
}

/** Opens each kind of store that several hosts can share. */
export const sharedStoreKinds: Readonly<Record<string, () => Promise<SharedStores>>> = Object.fromEntries(
  Object.values(databaseKinds).map(({ title, create }) => [title, async () => share(await create())]),
);

async function share({ url, drop }: TestDatabase): Promise<SharedStores> {
  const open = () => openStore({ url, synchronous: 'normal' });
  const stores = [await open(), await open()] as const;
  await stores[0].schema?.migrate();
  return {
    stores,
    close: async () => {
      for (const store of stores) await store.close();
      await drop();
    },
  };
}
