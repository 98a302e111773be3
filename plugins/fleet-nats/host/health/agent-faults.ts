import {
  type CheckWarning,
  formatInstant,
  type PluginCore,
  readAgentHealth,
  yieldToEventLoop,
} from '@horarium/core/plugin';
import { Agent } from '../../records/agent.ts';

/** What operators are to see of the agents that may claim jobs. */
export interface AgentFaults {
  /** Those that were seen and are silent, though nothing stopped them. */
  readonly silent: number;
  /** Each fault, with what to do. */
  readonly warnings: readonly CheckWarning[];
}

/** Reads the faults of all agents that are neither drained nor revoked. */
export function readAgentFaults({ store }: Pick<PluginCore, 'store'>): Promise<AgentFaults> {
  return store.read(async (tables) => {
    const agents = await tables.of(Agent).find({ where: [['state', '=', 'active']], order: [['name', 'asc']] });
    const healths = await readAgentHealth(tables, agents);
    const warnings: CheckWarning[] = [];
    let silent = 0;
    for (const [index, { name }] of agents.entries()) {
      await yieldToEventLoop();
      const { presence, seen_at } = healths[index] ?? {};
      if (presence !== 'silent' || !seen_at) continue;
      silent += 1;
      warnings.push({
        warning: `the agent ${name} fell silent at ${formatInstant(seen_at)}`,
        advice: `Read its log on its machine, and start it; else horarium agent:drain ${name}, or agent:revoke ${name}.`,
      });
    }
    return { silent, warnings };
  });
}

/** Looks for faults of agents, for doctor. */
export async function checkAgents(core: Pick<PluginCore, 'store'>): Promise<string | readonly CheckWarning[]> {
  const { warnings } = await readAgentFaults(core);
  return warnings.length > 0 ? warnings : 'none is silent that should run';
}
