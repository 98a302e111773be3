import { memoryStore, type Store } from '@horarium/core';
import { openStore } from '../../../adapters/mikro-orm/open-store.ts';
import { databaseKinds } from './test-databases.ts';

export interface OpenedStore {
  readonly store: Store;
  close(): Promise<void>;
}

/** Every kind of store, by its title, each with a function that opens a new one. */
export const storeKinds: Readonly<Record<string, () => Promise<OpenedStore>>> = {
  memory: async () => ({ store: memoryStore(), close: async () => undefined }),
  ...Object.fromEntries(
    Object.values(databaseKinds).map(({ title, create }) => [
      title,
      async () => {
        const { url, drop } = await create();
        const store = await openStore({ url, synchronous: 'normal' });
        await store.schema?.migrate();
        return {
          store,
          close: async () => {
            await store.close();
            await drop();
          },
        };
      },
    ]),
  ),
};
