import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { allTables, type Store, systemClock } from '@horarium/core';
import { openPostgresStore } from '../../../adapters/mikro-orm/dialects/postgresql/store.ts';
import { openSqliteStore } from '../../../adapters/mikro-orm/dialects/sqlite/store.ts';
import { temporaryFolder } from '../mocha/temporary-folder.ts';
import { createDatabase, dropDatabase } from './test-postgres.ts';

/** Two connections to one empty store, one for each host. */
export interface SharedStores {
  readonly stores: readonly [Store, Store];
  close(): Promise<void>;
}

/** Opens each kind of store that several hosts can share. */
export const sharedStoreKinds: Readonly<Record<string, () => Promise<SharedStores>>> = {
  'a SQLite file': async () => {
    const folder = temporaryFolder('shared');
    const file = join(folder, 'a.sqlite');
    const open = () => openSqliteStore({ file, tables: allTables, clock: systemClock, synchronous: 'normal' });
    return share(open, () => rmSync(folder, { recursive: true }));
  },
  'a PostgreSQL database': async () => {
    const url = await createDatabase();
    return share(
      () => openPostgresStore({ url, tables: allTables }),
      () => dropDatabase(url),
    );
  },
};

async function share(open: () => ReturnType<typeof openPostgresStore>, remove: () => unknown): Promise<SharedStores> {
  const stores = [await open(), await open()] as const;
  await stores[0].schema.migrate();
  return {
    stores,
    close: async () => {
      for (const store of stores) await store.close();
      await remove();
    },
  };
}
