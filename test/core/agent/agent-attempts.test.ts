import { allTables, MemoryStore, systemClock } from '@horarium/core';
import { agentAttemptsContract } from '../../contracts/agent-attempts.ts';
import { agentReportsContract } from '../../contracts/agent-reports.ts';

for (const contract of [agentAttemptsContract, agentReportsContract])
  contract('in memory', async () => {
    const store = new MemoryStore({ clock: systemClock, tables: allTables });
    return { stores: [store, store], close: () => store.close() };
  });
