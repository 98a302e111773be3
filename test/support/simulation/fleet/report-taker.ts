import type { Milliseconds } from '@horarium/core';
import type { Ticker } from '#core/loop/loop';
import { leaseTimes, responseWait } from './fleet-times.ts';
import { type AgentHostContext, inTransaction } from './host-context.ts';
import { asAgentReports } from './stored-reports.ts';

const batchSize = 8;
const poll: Milliseconds = 10_000;
const earlyWait: Milliseconds = 2000;

/** Takes reports in, and acknowledges them once they are committed. */
export class ReportTaker implements Ticker {
  static readonly tickerName = 'agent reports';
  readonly name = ReportTaker.tickerName;
  readonly #context: AgentHostContext;

  constructor(context: AgentHostContext) {
    this.#context = context;
  }

  async tick(): Promise<Milliseconds> {
    const { link, broker, clock, ledger, bug } = this.#context;
    const askedAt = clock.uptime();
    const pulled = await link.request(() => broker.pull(batchSize));
    const heardAt = clock.uptime();
    // Of a response that a pause held up, it is not known how old it is.
    if (!pulled || pulled.reports.length === 0 || heardAt > askedAt + responseWait) return poll;
    const seqs = pulled.reports.map(({ seq }) => seq);
    if (bug === 'acknowledges before the commit') link.send(() => broker.acknowledge(new Set(seqs)));
    const outcomes = await inTransaction(this.#context, async (tables) => {
      const waited = clock.uptime() - heardAt;
      const now = await tables.now();
      const reports = asAgentReports(pulled.reports, (at) => now - waited - (pulled.now - at));
      return ledger.reportIn(tables, reports, leaseTimes);
    });
    const early = new Set(seqs.filter((_seq, at) => outcomes[at] === 'early' || outcomes[at] === 'busy'));
    const taken = new Set(seqs.filter((seq) => !early.has(seq)));
    link.send(() => broker.acknowledge(taken));
    link.send(() => broker.postpone(early, earlyWait));
    return 0;
  }
}
