import {
  type AttemptLeaseTimes,
  type Clock,
  errorMessage,
  type Instant,
  type Milliseconds,
  type PluginCore,
  type ReportedEvent,
  trustedActor,
} from '@horarium/core/plugin';
import type { BrokerClock } from './broker-clock.ts';
import type { FleetTimes } from './fleet-times.ts';
import type { HostBus, ReceivedReport } from './host-bus.ts';

const actor = trustedActor('agents');

/** How many reports are committed together. */
const batchSize = 100;
const wait: Milliseconds = 5000;
const maxBroken = 1000;
/** When a report comes again whose turn it is not yet, or after a failure. */
const retryDelay: Milliseconds = 250;

/** Takes reports out of the stream once they are committed. Every host does, beside the others. */
export class ReportIntake {
  readonly #core: PluginCore;
  readonly #clock: Clock;
  readonly #broker: BrokerClock;
  readonly #leases: AttemptLeaseTimes;
  readonly #log: (sentence: string) => void;
  #isFailing = false;
  /** Up to which number all reports were settled, before those at hand were looked at. */
  #settled = 0;
  /** The attempts whose agents left reports out. */
  readonly #broken = new Set<string>();

  constructor(
    core: PluginCore,
    broker: BrokerClock,
    { claimLease, hostLease }: FleetTimes,
    log: (sentence: string) => void,
  ) {
    this.#core = core;
    this.#clock = core.clock;
    this.#broker = broker;
    this.#leases = { claimed: claimLease, shown: hostLease };
    this.#log = log;
  }

  /** Takes reports in until the signal aborts. */
  async run(bus: HostBus, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      let reports: readonly ReceivedReport[] = [];
      try {
        reports = await bus.fetchReports(batchSize, wait);
        if (reports.length > 0) await this.take(reports, bus);
        this.#isFailing = false;
      } catch (error) {
        for (const report of reports) report.again(retryDelay);
        if (!this.#isFailing && !signal.aborted)
          this.#log(`reports of agents wait for a moment: ${errorMessage(error)}`);
        this.#isFailing = true;
        await this.#clock.sleep(1000, signal);
      }
    }
  }

  /** Takes reports in, and out of the stream. */
  async take(reports: readonly ReceivedReport[], bus: HostBus): Promise<void> {
    const outcomes = await this.#core.store.transaction(
      actor,
      async (tables) => {
        const now = await tables.now();
        return this.#core.agents.reportIn(
          tables,
          reports.map((report) => this.#happened(report, now)),
          this.#leases,
        );
      },
      { beyondQuota: true },
    );
    let isEarly = false;
    for (const [index, received] of reports.entries()) {
      const outcome = outcomes[index];
      if (outcome === 'stored' || outcome === 'refused' || (outcome === 'early' && this.#lacksOthers(received)))
        received.done();
      else received.again(retryDelay);
      isEarly ||= outcome === 'early';
    }
    // Read after those before them were looked for: they may be committed at the same time by another host.
    this.#settled = isEarly ? await bus.settledReports() : 0;
  }

  #happened(
    { agent, at, report: { job: jobId, claim, seq, age, event } }: ReceivedReport,
    now: Instant,
  ): ReportedEvent {
    return { agent, jobId, claim, seq, at: Math.round(this.#broker.toService(at, now) - age), event };
  }

  /**
   * Whether those before a report that is early will never come: agents publish the reports of an attempt in their order, and
   * nothing before it is left in the stream. Without an end to it, the early reports of one agent would keep those of all others
   * waiting.
   */
  #lacksOthers({ agent, number, report: { job, claim } }: ReceivedReport): boolean {
    const attempt = `${claim}/${job}`;
    if (this.#broken.has(attempt)) return true;
    if (number > this.#settled + 1) return false;
    if (this.#broken.size >= maxBroken) this.#broken.clear();
    this.#broken.add(attempt);
    this.#log(`reports of job ${job} by the agent ${agent} are dropped, because others before them are missing`);
    return true;
  }
}
