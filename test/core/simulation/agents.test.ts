import { defineSeedTests } from '../../support/simulation/seeds.ts';
import { openTestStore } from '../../support/store/test-store.ts';

describe('The service and its agents simulated in virtual time', () => {
  defineSeedTests(import.meta.filename, [111, 140], {
    scale: 0.5,
    agents: { bug: null },
    openStore: async (time) => openTestStore(time.storeClock),
  });
});
