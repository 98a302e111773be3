import { MemoryStore } from '@horarium/core';
import { StandingClock } from '@horarium/core/contracts';
import { sampleTables } from '#core/contracts/store/samples';
import { defineStoreTests } from '../../contracts/store.ts';

defineStoreTests('MemoryStore', async () => {
  const clock = new StandingClock();
  const store = new MemoryStore({ tables: sampleTables, clock });
  return { store, clock, close: () => store.close() };
});
