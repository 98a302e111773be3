import type { Milliseconds } from '@horarium/core';
import { answerWait } from './fleet-times.ts';
import type { ClaimAsk } from './messages.ts';
import type { AgentBug } from './planted-agent-bugs.ts';

export interface AgentClaimsOptions {
  readonly agent: string;
  /** The number of this process among those of the agent. */
  readonly instance: number;
  readonly bug: AgentBug | null;
  uptime(): Milliseconds;
  in(duration: Milliseconds, action: () => void): void;
  send(ask: ClaimAsk): void;
}

/** The claims of an agent, one at a time: one whose answer does not come in time is abandoned, and never started. */
export class AgentClaims {
  readonly #options: AgentClaimsOptions;
  #count = 0;
  #open: { readonly ask: ClaimAsk; readonly sentAt: Milliseconds } | null = null;
  /** The claims that no answered one has named yet. */
  readonly #abandoned = new Set<string>();

  constructor(options: AgentClaimsOptions) {
    this.#options = options;
  }

  /** Asks for attempts, unless another claim is open. */
  ask(free: number): void {
    if (this.#open) return;
    const { agent, instance, bug, uptime, send } = this.#options;
    const id = `${agent}.${instance}.${++this.#count}`;
    const givenUp = [...this.#abandoned];
    const ask = { agent, id, free, abandoned: bug === 'hides abandoned claims' ? [] : givenUp, givenUp };
    this.#open = { ask, sentAt: uptime() };
    this.#options.in(answerWait, () => this.#open?.ask === ask && this.#abandon(id));
    send(ask);
  }

  /** Takes an answer. @returns whether its attempts are to be started: a late or second answer is none. */
  answered(id: string): boolean {
    const open = this.#open;
    if (open?.ask.id !== id) return this.#options.bug === 'starts late answers' && this.#abandoned.has(id);
    // A process that was paused reads the answer before it notices that its time is over.
    if (this.#options.uptime() > open.sentAt + answerWait) {
      this.#abandon(id);
      return false;
    }
    this.#open = null;
    for (const claim of open.ask.givenUp) this.#abandoned.delete(claim);
    return true;
  }

  #abandon(id: string): void {
    this.#abandoned.add(id);
    this.#open = null;
  }
}
