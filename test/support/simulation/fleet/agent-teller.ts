import type { Milliseconds } from '@horarium/core';
import { readPlacement } from '#core/executor/placement';
import type { Ticker } from '#core/loop/loop';
import { type AgentHostContext, inTransaction } from './host-context.ts';

const poll: Milliseconds = 10_000;

/** Tells agents that there is work in their pools, and to stop attempts, until that shows effect. */
export class AgentTeller implements Ticker {
  static readonly tickerName = 'agent teller';
  readonly name = AgentTeller.tickerName;
  readonly #context: AgentHostContext;

  constructor(context: AgentHostContext) {
    this.#context = context;
  }

  async tick(): Promise<Milliseconds> {
    const { link, broker, ledger } = this.#context;
    const { work, stops } = await inTransaction(this.#context, async (tables) => ({
      work: await ledger.workIn(tables),
      stops: await ledger.stopsIn(tables),
    }));
    for (const { agent, ...stop } of stops) link.send(() => broker.tell(agent, { kind: 'stop', ...stop }));
    for (const placement of work.due) link.send(() => broker.tellPool(readPlacement(placement).pool));
    return poll;
  }
}
