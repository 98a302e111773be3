import { agentAttemptsContract } from '../../contracts/agent-attempts.ts';
import { agentReportsContract } from '../../contracts/agent-reports.ts';
import { sharedStoreKinds } from '../../support/store/shared-stores.ts';

for (const [kind, open] of Object.entries(sharedStoreKinds))
  for (const contract of [agentAttemptsContract, agentReportsContract])
    contract(`in ${kind} that two hosts share`, open);
