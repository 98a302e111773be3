import type { Instant, Milliseconds, Tables } from '@horarium/core';
import { AgentLease } from '#core/agent/agent-lease';
import type { Ticker } from '#core/loop/loop';
import type { BrokerContent } from './broker.ts';
import { lease, leaseMargin, leaseTimes, offlineGrace, responseWait } from './fleet-times.ts';
import { type AgentHostContext, inTransaction } from './host-context.ts';
import { asAgentReports } from './stored-reports.ts';

const interval: Milliseconds = 8000;
/** How old what was read may be for a sign of life. */
const maxAge: Milliseconds = 12_000;

/**
 * Renews leases by the heartbeats in the broker, ends those that have run out once all reports that lie there are taken in,
 * and then gives the agents a sign of life.
 */
export class LeaseKeeper implements Ticker {
  readonly name = 'agent leases';
  readonly #context: AgentHostContext;
  #contactAt: Milliseconds;
  /** The process of each agent whose heartbeat was read last. */
  readonly #instances = new Map<string, number>();

  constructor(context: AgentHostContext) {
    this.#context = context;
    this.#contactAt = context.clock.uptime();
  }

  async tick(): Promise<Milliseconds> {
    const { link, broker, clock } = this.#context;
    const askedAt = clock.uptime();
    const content = await link.request(() => broker.read());
    const heardAt = clock.uptime();
    if (!content || heardAt > askedAt + responseWait) {
      if (heardAt > this.#contactAt + offlineGrace + lease) await this.#endWithoutContact();
      return interval;
    }
    this.#contactAt = askedAt;
    await inTransaction(this.#context, (tables) => this.#keep(tables, content, { askedAt, heardAt }));
    if (clock.uptime() < askedAt + maxAge) link.send(() => broker.tellAll({ kind: 'hosts' }));
    return interval;
  }

  async #keep(
    tables: Tables,
    content: BrokerContent,
    { askedAt, heardAt }: { readonly askedAt: Milliseconds; readonly heardAt: Milliseconds },
  ): Promise<void> {
    const { clock, ledger, agents, bug } = this.#context;
    // Times of the broker are taken for later ones than they were, by the time that its response took.
    const waited = clock.uptime() - heardAt;
    const now = await tables.now();
    const before = now - (clock.uptime() - askedAt) - leaseMargin;
    const toServiceTime = (at: Instant) => now - waited - (content.now - at);
    const beats = [...content.heartbeats].map(([agent, { at, body }]) => ({ agent, ...body, at: toServiceTime(at) }));
    const seenAt = (at: Instant) => (bug === 'renews by the time of arrival' ? now : at);
    // The last heartbeats of a process are missed where those of a later one have replaced them.
    const runningOn = ({ agent, instance, running }: (typeof beats)[number]) =>
      this.#instances.get(agent) === instance ? running : null;
    const live = beats.map((beat) => {
      const { agent, at } = beat;
      return { agent, running: runningOn(beat), until: seenAt(at) + lease, lease };
    });
    tables.afterCommit(() => {
      for (const { agent, instance } of beats) this.#instances.set(agent, instance);
    });
    await ledger.renewIn(tables, live);
    if ((await tables.of(AgentLease).count([['ends_at', '<', before]], 1)) > 0) {
      const reports = asAgentReports(content.reports, toServiceTime);
      if (bug !== 'ends leases before it reads reports') await ledger.reportIn(tables, reports, leaseTimes);
      await ledger.endLeasesIn(tables, { before, areReportsTaken: true });
    }
    const seen = beats.map(({ agent, slots, at }) => {
      const { pools = new Map(), labels = {} } = agents.get(agent) ?? {};
      const companies = [...pools].map(([pool, only]) => [pool, only && [...only]] as const);
      return {
        agent,
        pools: Object.fromEntries(companies),
        labels,
        executors: ['native'],
        slots,
        version: null,
        alive_until: at + lease,
      };
    });
    await ledger.seenIn(tables, seen);
  }

  /** Ends what no agent runs any more, because none has had a sign of life for so long, or could renew its own lease. */
  async #endWithoutContact(): Promise<void> {
    const { ledger, record } = this.#context;
    await inTransaction(this.#context, async (tables) => {
      const before = (await tables.now()) - offlineGrace - lease - leaseMargin;
      const over = await tables.of(AgentLease).find({ where: [['ends_at', '<', before]], columns: ['job_id'] });
      for (const { job_id } of over) record.lostUnread.add(job_id);
      await ledger.endLeasesIn(tables, { before, areReportsTaken: false });
    });
  }
}
