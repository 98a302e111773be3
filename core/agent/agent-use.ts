import type { Tables } from '../store/store.ts';
import { AgentPresence } from '../worker/lease/agent-presence.ts';
import { AgentLease } from './agent-lease.ts';

/** Whether an agent is alive or may run attempts: only one that the hosts know hears that it is to stop. */
export async function isAgentInUse(tables: Tables, agent: string): Promise<boolean> {
  const now = await tables.now();
  const isAgent = ['agent', '=', agent] as const;
  const alive = await tables.of(AgentPresence).count([isAgent, ['alive_until', '>', now]], 1);
  return alive > 0 || (await tables.of(AgentLease).count([isAgent], 1)) > 0;
}
