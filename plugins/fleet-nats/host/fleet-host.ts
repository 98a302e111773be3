import {
  type EndedLeases,
  type Instant,
  type Milliseconds,
  type PluginCore,
  type Tables,
  trustedActor,
  yieldToEventLoop,
} from '@horarium/core/plugin';
import { Agent, credentialRefusal } from '../records/agent.ts';
import { sealingKey } from '../wire/keys/keys.ts';
import type { AgentHeartbeat, Answer, Ask } from '../wire/messages/messages.ts';
import { WireError } from '../wire/wire-error.ts';
import { AnswerAsks } from './answer-asks.ts';
import { BrokerClock } from './broker-clock.ts';
import { Dispatcher } from './dispatcher.ts';
import type { FleetTimes } from './fleet-times.ts';
import type { AgentListener, HostBus } from './host-bus.ts';
import { ReportIntake } from './report-intake.ts';
import { SeenAgents } from './seen-agents.ts';

const actor = trustedActor('agents');

/** How many reports that the broker keeps are taken in at once: leases must be renewed meanwhile. */
const maxKept = 200;
/** How often a host looks for reports that the broker keeps although no lease is over. */
const keptInterval: Milliseconds = 30_000;
/** How often a host tells agents that it lives. */
const aliveInterval: Milliseconds = 2000;

/**
 * The part of agents that a host has: it answers them, takes in what they report, keeps their leases, and tells them what
 * to do. Any number of hosts do so beside each other; what they decide, they decide in the store.
 */
export class FleetHost implements AgentListener {
  readonly #core: PluginCore;
  readonly #times: FleetTimes;
  readonly #log: (sentence: string) => void;
  readonly #broker: BrokerClock;
  readonly #seen: SeenAgents;
  readonly #asks: AnswerAsks;
  readonly #intake: ReportIntake;
  readonly #dispatcher: Dispatcher;
  readonly #stopping = new AbortController();
  /** By agent, the process that was heard last to run beside a later one. */
  readonly #replaced = new Map<string, string>();
  /** The agents with a heartbeat that was not signed by the keys that they have. */
  readonly #refused = new Set<string>();
  #running: Promise<unknown> = Promise.resolve();
  /** Monotonic times. */
  #announcedAt: Milliseconds = Number.NEGATIVE_INFINITY;
  #tickedAt: Milliseconds = Number.NEGATIVE_INFINITY;
  #soughtAt: Milliseconds = Number.NEGATIVE_INFINITY;
  /** Since when leases have run out and the broker could not be asked; null = it could. */
  #unreachedSince: Milliseconds | null = null;
  /** Up to which number it has looked at the reports that the broker keeps; 0 = it has looked at all. */
  #readTo = 0;
  /** The last report at a time of the service, until all reports up to it are taken in. */
  #mark: { readonly at: Instant; readonly last: number } | null = null;

  constructor(core: PluginCore, times: FleetTimes, log: (sentence: string) => void) {
    this.#core = core;
    this.#times = times;
    this.#log = log;
    this.#broker = new BrokerClock(core.clock);
    this.#seen = new SeenAgents(core.clock, this.#broker, times.hostLease);
    this.#asks = new AnswerAsks(core, this.#seen, times);
    this.#intake = new ReportIntake(core, this.#broker, times, log);
    this.#dispatcher = new Dispatcher(core, log);
  }

  /** The time of the broker. */
  get brokerTime(): Instant {
    return this.#broker.now();
  }

  async ask(agent: string, ask: Ask): Promise<Answer> {
    const answer = await this.#asks.answer(agent, ask);
    // One agent has heard of the work, and cannot do all of it.
    if (answer.kind === 'attempts' && answer.more) this.#dispatcher.wake();
    return answer;
  }

  heartbeat(agent: string, heartbeat: AgentHeartbeat, at: Instant): void {
    this.#seen.see(agent, heartbeat, at);
  }

  earlierProcess(agent: string, instance: string, at: Instant): void {
    this.#replaced.set(agent, instance);
    if (this.#seen.seeEarlierProcess(agent, at))
      this.#log(
        `two processes use the credential of the agent ${agent}: the one that began last goes on, and the other one is told to run nothing`,
      );
  }

  heartbeatRefused(agent: string): void {
    this.#refused.add(agent);
  }

  heartbeatsMissed(): void {
    this.#seen.missed();
  }

  /** Begins to take reports in and to tell agents of their jobs, once the times of the broker are known. */
  async start(bus: HostBus): Promise<void> {
    await this.#compareClocks(bus);
    const { signal } = this.#stopping;
    this.#running = Promise.all([this.#intake.run(bus, signal), this.#dispatcher.run(bus, signal)]);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** Keeps the leases, and tells agents what they are to do. It is called once a second. */
  async tick(bus: HostBus): Promise<void> {
    const uptime = this.#core.clock.uptime();
    // What stood still may have taken a heartbeat late, which another one has replaced by then.
    if (uptime - this.#tickedAt > this.#times.lease / 4) this.#seen.missed();
    this.#tickedAt = uptime;
    await this.#compareClocks(bus);
    await this.#keepLeases(bus);
    await this.#tell(bus);
    await this.#tellRenewed(bus);
    await this.#tellReplaced(bus);
    const elapsed = this.#core.clock.elapsed();
    if (elapsed - this.#announcedAt >= aliveInterval) {
      this.#announcedAt = elapsed;
      bus.announceHost();
    }
    if (bus.isConnected && elapsed - this.#soughtAt >= keptInterval) {
      this.#soughtAt = elapsed;
      await this.#seekKept(bus);
    }
  }

  /** Keeps the last comparison where the broker does not answer, because leases and signs of life must not wait for it. */
  async #compareClocks(bus: HostBus): Promise<void> {
    if (!bus.isConnected && this.#broker.isKnown) return;
    try {
      await this.#broker.compare(bus);
    } catch (error) {
      if (!this.#broker.isKnown) throw error;
    }
  }

  async #keepLeases(bus: HostBus): Promise<void> {
    const { agents, store } = this.#core;
    const { leased, areSomeOver, readAt } = await store.read(async (tables) => {
      const readAt = await tables.now();
      const leased = await agents.leasedIn(tables);
      const areSomeOver = leased.length > 0 && (await agents.areLeasesOverIn(tables, { before: readAt }));
      return { leased, areSomeOver, readAt };
    });
    if (leased.length === 0 && !this.#seen.isPresenceDue) return;
    // As of a time before it looks at the reports, because more may come meanwhile.
    if (!areSomeOver) this.#unreachedSince = null;
    const over = areSomeOver ? await this.#leasesOver(bus, readAt) : null;
    const renewed = await store.transaction(
      actor,
      async (tables) => {
        const now = await tables.now();
        const live = this.#seen.toRenew(now, { again: areSomeOver });
        await agents.renewIn(tables, live);
        await this.#seen.writePresence(tables, this.#core, now);
        await this.#endDistrusted(tables, leased, now);
        if (over) await agents.endLeasesIn(tables, over);
        return live;
      },
      { beyondQuota: true },
    );
    this.#seen.renewed(renewed);
  }

  /**
   * Returns which leases are over: what agents have reported until then is taken in, so that no attempt is lost whose end lies in
   * the stream. While the broker is not reached, agents may reach it and run on until their own grace has passed.
   * @returns null while that is not known.
   */
  async #leasesOver(bus: HostBus, now: Instant): Promise<EndedLeases | null> {
    const { offlineGrace, claimLease } = this.#times;
    if (!bus.isConnected || !(await bus.catchUp())) {
      const elapsed = this.#core.clock.elapsed();
      this.#unreachedSince ??= elapsed;
      // Counted from the loss of the broker, because what ran out before may still be reported in it.
      const isTooLong = elapsed - this.#unreachedSince > offlineGrace + claimLease;
      return isTooLong ? { before: now - offlineGrace - claimLease, areReportsTaken: false } : null;
    }
    this.#unreachedSince = null;
    // Either clock may have been set since they were compared, so that a live agent seems silent.
    await this.#broker.compare(bus, { again: true });
    const last = await bus.lastReport();
    // A stream that was made again counts from 1.
    if (!this.#mark || last < this.#mark.last) this.#mark = { at: now, last };
    const { at: before, last: number } = this.#mark;
    if ((await bus.settledReports()) < number) return null;
    const { oldest } = await bus.waitingReports();
    const areTaken = oldest === null || oldest.number > number || (await this.#takeKept(bus, number));
    if (areTaken === 'in part') return null;
    this.#mark = null;
    if (areTaken) return { before, areReportsTaken: true };
    // They may be of any attempt.
    const known = Math.min(before, this.#broker.toService(oldest.at, now));
    const outlasted = now - offlineGrace - claimLease;
    return known < outlasted ? { before: outlasted, areReportsTaken: false } : { before: known, areReportsTaken: true };
  }

  /** Takes in what the broker keeps also of attempts that are over, because it takes the room of further reports. */
  async #seekKept(bus: HostBus): Promise<void> {
    try {
      const number = Math.min(await bus.settledReports(), await bus.lastReport());
      const { oldest } = await bus.waitingReports();
      if (oldest !== null && oldest.number <= number) await this.#takeKept(bus, number);
    } catch (error) {
      // It looks again, and nothing waits for it.
      if (!(error instanceof WireError)) throw error;
    }
  }

  /**
   * Takes in what the broker keeps although all up to that number was delivered: servers of NATS 2.9 that were killed may keep
   * reports that they neither deliver nor count as waiting.
   * @returns whether they were taken in; false = the broker does not let this host read them.
   */
  async #takeKept(bus: HostBus, to: number): Promise<boolean | 'in part'> {
    // A stream that was made again counts from 1.
    if (this.#readTo > to) this.#readTo = 0;
    try {
      const { reports, readTo } = await bus.readReports({ from: this.#readTo + 1, to, max: maxKept });
      if (reports.length > 0) await this.#intake.take(reports, bus);
      const isAll = readTo >= to;
      this.#readTo = isAll ? 0 : readTo;
      return isAll || 'in part';
    } catch (error) {
      if (error instanceof WireError) return false;
      throw error;
    }
  }

  /** Ends the attempts of agents whose credential is not good any more. */
  async #endDistrusted(tables: Tables, leased: readonly string[], now: Instant): Promise<void> {
    if (leased.length === 0) return;
    const found = await tables.of(Agent).find({ where: [['name', 'in', leased]] });
    for (const agent of found) {
      await yieldToEventLoop();
      const refusal = credentialRefusal(agent, now);
      if (refusal !== null)
        await this.#core.agents.endAgentIn(tables, agent.name, refusal.replace(/^T/, 't').replace(/\.$/, ''));
    }
  }

  /** Lets the process that began last be its agent, so that one which was killed and started again goes on at once. */
  async #tellReplaced(bus: HostBus): Promise<void> {
    for (const [agent, instance] of this.#replaced) {
      await yieldToEventLoop();
      this.#replaced.delete(agent);
      await bus.tell(agent, { kind: 'replaced', instance });
    }
  }

  /** Ends processes that have the keys which their agent had before. */
  async #tellRenewed(bus: HostBus): Promise<void> {
    const names = [...this.#refused];
    this.#refused.clear();
    if (names.length === 0) return;
    const agents = await this.#core.store.read((tables) => tables.of(Agent).find({ where: [['name', 'in', names]] }));
    for (const { name, previous_xkey } of agents) {
      await yieldToEventLoop();
      const reason = `The credential of the agent ${name} was renewed: start it with the new one.`;
      if (previous_xkey !== null) await bus.tell(name, { kind: 'revoked', reason }, sealingKey(previous_xkey));
    }
  }

  /** Tells agents what their records say, until it shows effect. */
  async #tell(bus: HostBus): Promise<void> {
    const { agents, store } = this.#core;
    // A heartbeat that comes while the store is read may name what was claimed after the snapshot that is read.
    const { running } = this.#seen;
    const alive = await store.read(async (tables) => {
      const now = await tables.now();
      const names = this.#seen.alive(now);
      const records = names.length === 0 ? [] : await tables.of(Agent).find({ where: [['name', 'in', names]] });
      const ofAlive = running.filter(({ agent }) => names.includes(agent));
      return { records, now, orphaned: await agents.orphanedIn(tables, ofAlive) };
    });
    for (const { agent, jobId: job, claim } of alive.orphaned) {
      await yieldToEventLoop();
      await bus.tell(agent, { kind: 'stop', job, claim, reason: 'its lease ran out, so that it may run elsewhere' });
    }
    for (const record of alive.records) {
      await yieldToEventLoop();
      const refusal = credentialRefusal(record, alive.now);
      if (refusal !== null) await bus.tell(record.name, { kind: 'revoked', reason: refusal });
      else {
        const isToDrain = record.state === 'draining';
        if (this.#seen.of(record.name)?.draining !== isToDrain)
          await bus.tell(record.name, { kind: isToDrain ? 'drain' : 'undrain' });
      }
    }
  }
}
