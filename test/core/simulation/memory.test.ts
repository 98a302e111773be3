import { defineSeedTests } from '../../support/simulation/seeds.ts';
import { openTestStore } from '../../support/store/test-store.ts';

describe('The service simulated in virtual time on the memory store', () => {
  defineSeedTests(import.meta.filename, [1, 20], {
    scale: 0.8,
    openStore: async (time) => openTestStore(time.storeClock),
  });
});
