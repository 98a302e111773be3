import { HorariumError, type Milliseconds, type Tables } from '@horarium/core';
import type { AgentClaim, AgentClaims, ClaimedAttempt } from '@horarium/core/plugin';
import { AgentLease } from '#core/agent/agent-lease';
import type { Ticker } from '#core/loop/loop';
import { required } from '#core/store/rows';
import { leaseTimes } from './fleet-times.ts';
import { type AgentHostContext, inTransaction } from './host-context.ts';
import type { ClaimAsk } from './messages.ts';

/** Answers the claims of agents: takes abandoned ones back and claims jobs in one transaction, and then answers. */
export class AskAnswerer implements Ticker {
  static readonly tickerName = 'agent asks';
  readonly name = AskAnswerer.tickerName;
  readonly #context: AgentHostContext;
  readonly #asks: ClaimAsk[] = [];

  constructor(context: AgentHostContext) {
    this.#context = context;
  }

  add(ask: ClaimAsk): void {
    this.#asks.push(ask);
  }

  async tick(): Promise<Milliseconds> {
    const { link, broker } = this.#context;
    for (let ask = this.#asks.shift(); ask; ask = this.#asks.shift()) {
      const { agent, id } = ask;
      const attempts = await this.#attemptsFor(ask);
      if (attempts) link.send(() => broker.tell(agent, { kind: 'attempts', id, attempts }));
    }
    return 60_000;
  }

  /** Returns what the agent is to start; null = the claim was answered already. */
  async #attemptsFor(ask: ClaimAsk): Promise<readonly ClaimedAttempt[] | null> {
    const { ledger } = this.#context;
    const request = this.#requestOf(ask);
    try {
      const attempts: ClaimedAttempt[] = [];
      let claimed = await inTransaction(this.#context, (tables) => this.#claim(tables, ask, request));
      for (;;) {
        attempts.push(...claimed.attempts);
        const { reserved } = claimed;
        if (!reserved) return attempts;
        const rest = { ...request, max: request.max - attempts.length };
        claimed = await inTransaction(this.#context, (tables) => ledger.claimIn(tables, rest, reserved));
      }
    } catch (error) {
      if (error instanceof HorariumError && error.code === 'conflict') return null;
      throw error;
    }
  }

  #requestOf({ agent, id, free }: ClaimAsk): AgentClaim {
    const { pools, labels, slots } = required(this.#context.agents.get(agent), `agent ${agent}`);
    const executors = new Set(['native']);
    // The agent may start what it is given until it gives the claim up, and kills it by the lease that it had then.
    return { agent, claim: id, pools, labels, executors, slots, max: free, lease: leaseTimes.claimed };
  }

  async #claim(tables: Tables, { agent, abandoned, givenUp }: ClaimAsk, request: AgentClaim): Promise<AgentClaims> {
    const { ledger, record } = this.#context;
    await ledger.releaseIn(tables, agent, abandoned);
    const left = await tables.of(AgentLease).find({ where: [['claim', 'in', givenUp]] });
    for (const { job_id, claim } of left)
      record.violations.push(`Job ${job_id} of the claim ${claim}, which ${agent} gave up on, was not taken back.`);
    return ledger.claimIn(tables, request);
  }
}
