import { allTables, MemoryStore } from '@horarium/core';
import { systemClock } from '../../../adapters/node/system-clock.ts';
import { externalJobsContract } from '../../contracts/external-jobs.ts';

externalJobsContract('in memory', async () => {
  const store = new MemoryStore({ clock: systemClock, tables: allTables });
  return { stores: [store, store], close: () => store.close() };
});
