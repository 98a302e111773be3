import { seenAgentsContract } from '../../contracts/seen-agents.ts';
import { sharedStoreKinds } from '../../support/store/shared-stores.ts';

for (const [kind, open] of Object.entries(sharedStoreKinds)) seenAgentsContract(`in ${kind}`, open);
