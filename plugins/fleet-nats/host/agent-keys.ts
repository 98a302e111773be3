import type { Clock, Milliseconds, PluginCore } from '@horarium/core/plugin';
import { type AgentRow, findAgent } from '../records/agent.ts';
import { PublicKeys } from '../wire/keys/keys.ts';

/** How long the keys of an agent are used without a look at its record: it may be deleted, and another one have its name. */
const maxAge: Milliseconds = 5000;

interface Known {
  readonly keys: PublicKeys | null;
  readonly readAt: Milliseconds;
}

/** The public keys of agents, by their records. */
export class AgentKeys {
  readonly #core: PluginCore;
  readonly #clock: Clock;
  readonly #known = new Map<string, Known>();

  constructor(core: PluginCore) {
    this.#core = core;
    this.#clock = core.clock;
  }

  /**
   * Returns the keys of an agent; null = no such agent may speak. While the store does not answer, those that it had last count:
   * what an agent says has no effect before it answers again, and its record is read then.
   */
  async of(agent: string): Promise<PublicKeys | null> {
    const known = this.#known.get(agent);
    const now = this.#clock.elapsed();
    if (known && now - known.readAt < maxAge) return known.keys;
    let record: AgentRow | undefined;
    try {
      record = await this.#core.store.read((tables) => findAgent(tables, agent));
    } catch (error) {
      if (!known) throw error;
      return known.keys;
    }
    const keys = record ? new PublicKeys({ signing: record.nkey, sealing: record.xkey }) : null;
    if (keys) this.#known.set(agent, { keys, readAt: now });
    else this.#known.delete(agent);
    return keys;
  }
}
