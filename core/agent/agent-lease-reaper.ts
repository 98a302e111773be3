import type { AuditedStore } from '../audit/audited-store.ts';
import type { Milliseconds } from '../loop/clock.ts';
import type { Ticker } from '../loop/loop.ts';
import { trustedActor } from '../resource/actor.ts';
import { hour } from '../time/duration.ts';
import { AgentLease } from './agent-lease.ts';
import { endAgentLeases } from './end-leases.ts';

const actor = trustedActor('agent lease reaper');

const poll: Milliseconds = 60_000;
/** Longer than agents may run on while no host is there. */
const maxSilence: Milliseconds = 25 * hour;

export interface AgentLeaseReaperOptions {
  readonly store: AuditedStore;
  /** Called after jobs may have become due. */
  onJobs?(): void;
}

/**
 * Ends attempts on agents that nothing connects any more, such as after the plugin of their executor was taken away: who connects
 * agents ends their leases long before.
 */
export class AgentLeaseReaper implements Ticker {
  readonly name = 'agent lease reaper';
  readonly #options: AgentLeaseReaperOptions;

  constructor(options: AgentLeaseReaperOptions) {
    this.#options = options;
  }

  async tick(): Promise<Milliseconds> {
    const { store, onJobs } = this.#options;
    const { before, isOver } = await store.read(async (tables) => {
      const before = (await tables.now()) - maxSilence;
      return { before, isOver: (await tables.of(AgentLease).count([['ends_at', '<', before]], 1)) > 0 };
    });
    if (!isOver) return poll;
    const ended = await store.transaction(actor, (tables) => {
      if (onJobs) tables.afterCommit(onJobs);
      return endAgentLeases(tables, { before, areReportsTaken: false });
    });
    return ended > 0 ? 0 : poll;
  }
}
