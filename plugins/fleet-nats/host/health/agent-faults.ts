import {
  type CheckWarning,
  formatInstant,
  type Milliseconds,
  type PluginCore,
  readAgentHealth,
  yieldToEventLoop,
} from '@horarium/core/plugin';
import { Agent, expiresIn } from '../../records/agent.ts';
import { Pool } from '../../records/pool.ts';

/** How long doctor tells that two processes had one credential. */
const secondProcessTime: Milliseconds = 24 * 3_600_000;

/** What operators are to see of the agents that are not revoked. */
export interface AgentFaults {
  /** Those that were seen and are silent, though nothing stopped or drained them. */
  readonly silent: number;
  /** When the first credential expires; negative = one has expired; null = all stay good. */
  readonly firstExpiresIn: Milliseconds | null;
  /** Each fault, with what to do. */
  readonly warnings: readonly CheckWarning[];
}

/** Reads the faults of all agents that are not revoked. */
export function readAgentFaults({ store }: Pick<PluginCore, 'store'>): Promise<AgentFaults> {
  return store.read(async (tables) => {
    const now = await tables.now();
    const agents = await tables.of(Agent).find({ where: [['state', '!=', 'revoked']], order: [['name', 'asc']] });
    // So that rights which are missing on a table of the plugin are found before the first agent joins.
    await tables.of(Pool).count([], 1);
    const healths = await readAgentHealth(tables, agents);
    const warnings: CheckWarning[] = [];
    const expiries: Milliseconds[] = [];
    let silent = 0;
    for (const [index, agent] of agents.entries()) {
      await yieldToEventLoop();
      const { name, state, expires_at } = agent;
      const { presence, seen_at, second_process_at } = healths[index] ?? {};
      if (expires_at !== null) expiries.push(expires_at - now);
      if (expires_at !== null && expiresIn(agent, now) !== null)
        warnings.push({
          warning: `the credential of the agent ${name} ${expires_at > now ? 'expires' : 'has expired'} at ${formatInstant(expires_at)}`,
          advice: `horarium agent:enroll ${name} --renew --ttl 90d, or horarium agent:save --name ${name} --expires-at TIME`,
        });
      if (second_process_at && now - second_process_at < secondProcessTime)
        warnings.push({
          warning: `two processes used the credential of the agent ${name} at ${formatInstant(second_process_at)}; the one that began last goes on`,
          advice:
            'Let each machine have a credential of its own (horarium agent:enroll), and start the other process again.',
        });
      if (state !== 'active' || presence !== 'silent' || !seen_at) continue;
      silent += 1;
      warnings.push({
        warning: `the agent ${name} fell silent at ${formatInstant(seen_at)}`,
        advice: `Read its log on its machine, and start it; else horarium agent:drain ${name}, or agent:revoke ${name}.`,
      });
    }
    return { silent, firstExpiresIn: expiries.length === 0 ? null : Math.min(...expiries), warnings };
  });
}

/** Looks for faults of agents, for doctor. */
export async function checkAgents(core: Pick<PluginCore, 'store'>): Promise<string | readonly CheckWarning[]> {
  const { warnings } = await readAgentFaults(core);
  return warnings.length > 0 ? warnings : 'none is silent that should run, and no credential expires soon';
}
