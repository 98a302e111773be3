import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { allTables } from '@horarium/core';
import { openPostgresStore } from '../../../adapters/mikro-orm/postgres-store.ts';
import { openSqliteStore } from '../../../adapters/mikro-orm/sqlite-store.ts';
import { systemClock } from '../../../adapters/node/system-clock.ts';
import { externalJobsContract } from '../../contracts/external-jobs.ts';
import { dropDatabase, makeDatabase } from '../../support/postgres.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

externalJobsContract('in a SQLite file that two have open', async () => {
  const folder = temporaryFolder('external');
  const file = join(folder, 'a.sqlite');
  const open = () => openSqliteStore({ file, tables: allTables, clock: systemClock, synchronous: 'normal' });
  const stores = [await open(), await open()];
  await stores[0]?.schema.migrate();
  return {
    stores,
    close: async () => {
      for (const store of stores) await store.close();
      rmSync(folder, { recursive: true });
    },
  };
});

externalJobsContract('in a PostgreSQL that two have open', async () => {
  const url = await makeDatabase();
  const open = () => openPostgresStore({ url, tables: allTables });
  const stores = [await open(), await open()];
  await stores[0]?.schema.migrate();
  return {
    stores,
    close: async () => {
      for (const store of stores) await store.close();
      await dropDatabase(url);
    },
  };
});
