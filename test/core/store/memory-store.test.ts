import { MemoryStore } from '@horarium/core';
import { storeContract } from '../../contracts/store.ts';
import { sampleTables } from '../../contracts/store-samples.ts';
import { StandingClock } from '../../support/clocks/standing-clock.ts';

storeContract('MemoryStore', async () => {
  const clock = new StandingClock();
  const store = new MemoryStore({ tables: sampleTables, clock });
  return { store, clock, close: () => store.close() };
});
