import { allTables, MemoryStore, systemClock } from '@horarium/core';
import { seenAgentsContract } from '../../contracts/seen-agents.ts';

seenAgentsContract('in memory', async () => {
  const store = new MemoryStore({ clock: systemClock, tables: allTables });
  return { stores: [store], close: () => store.close() };
});
