import { allTables, MemoryStore, systemClock } from '@horarium/core';
import { externalFilesContract } from '../../contracts/external-files.ts';
import { externalJobsContract } from '../../contracts/external-jobs.ts';

for (const contract of [externalJobsContract, externalFilesContract])
  contract('in memory', async () => {
    const store = new MemoryStore({ clock: systemClock, tables: allTables });
    return { stores: [store, store], close: () => store.close() };
  });
