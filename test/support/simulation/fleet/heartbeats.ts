import type { Milliseconds } from '@horarium/core';
import type { Broker } from './broker.ts';
import { lease } from './fleet-times.ts';
import type { Heartbeat } from './messages.ts';
import type { Link } from './network.ts';

export interface HeartbeatsOptions {
  readonly agent: string;
  readonly link: Link;
  readonly broker: Broker;
  uptime(): Milliseconds;
  /** Returns what the agent says of itself. */
  content(): Heartbeat;
  /** Called when the lease was renewed, with how long it lasts. */
  onRenewed(left: Milliseconds): void;
}

/**
 * The heartbeats of an agent. One counts when the broker has acknowledged it, from the moment at which it was sent. Each
 * names the one before, so that a late one does not take the place of a newer one.
 */
export class AgentHeartbeats {
  readonly #options: HeartbeatsOptions;
  #last = 0;
  #countedFrom: Milliseconds = Number.NEGATIVE_INFINITY;
  /** Since when the lease has never run out. */
  #unbrokenFrom: Milliseconds = Number.NEGATIVE_INFINITY;

  constructor(options: HeartbeatsOptions) {
    this.#options = options;
  }

  /** How long the lease of the agent lasts. */
  get left(): Milliseconds {
    return this.#countedFrom + lease - this.#options.uptime();
  }

  /** Whether the lease has lasted since then: what was given before it ran out may run elsewhere. */
  hasLastedSince(moment: Milliseconds): boolean {
    return this.left > 0 && this.#unbrokenFrom <= moment;
  }

  async beat(): Promise<void> {
    const { agent, link, broker, uptime, content, onRenewed } = this.#options;
    const sentAt = uptime();
    const body = content();
    const expected = this.#last;
    const response = await link.request(() => broker.beat(agent, body, expected));
    if (!response) return;
    this.#last = Math.max(this.#last, response.seq);
    if (!response.isStored) return this.beat();
    if (this.left <= 0) this.#unbrokenFrom = sentAt;
    this.#countedFrom = Math.max(this.#countedFrom, sentAt);
    onRenewed(this.left);
  }
}
