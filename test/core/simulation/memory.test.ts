import { holdSeeds } from '../../support/simulation/hold-seeds.ts';
import { openTestStore } from '../../support/test-store.ts';

describe('The whole service in virtual time, on the memory store', () => {
  holdSeeds('dist/test/core/simulation/memory.test.js', {
    scale: 0.8,
    openStore: async (time) => openTestStore(time.storeClock),
  });
});
