import type { Instant, Milliseconds } from '@horarium/core';
import type { Random } from '../world/random.ts';
import { acknowledgementWait, doublesWindow } from './fleet-times.ts';
import type { ClaimAsk, Heartbeat, PublishedReport, Stored, ToAgent } from './messages.ts';
import type { Link, Network } from './network.ts';

interface AgentEnd {
  readonly name: string;
  readonly pools: readonly string[];
  readonly link: Link;
  receive(message: ToAgent): void;
}

interface HostEnd {
  readonly link: Link;
  receive(ask: ClaimAsk): void;
  /** Called when reports wait. */
  notify(): void;
}

interface QueuedReport extends Stored<PublishedReport> {
  /** When it is delivered next, unless it is acknowledged before. */
  due: Instant;
}

/** What lies in the broker. */
export interface BrokerContent {
  readonly now: Instant;
  readonly reports: readonly Stored<PublishedReport>[];
  readonly heartbeats: ReadonlyMap<string, Stored<Heartbeat>>;
}

/**
 * A broker as JetStream: reports lie in a work queue until they are acknowledged, and are delivered again otherwise;
 * heartbeats have one slot for each agent. Other messages reach those who are connected.
 */
export class Broker {
  readonly #network: Network;
  readonly #random: Random;
  /** What its clock shows minus the real time. */
  readonly #ahead: Milliseconds;
  /** How many reports it stores at most. */
  readonly #maxReports: number;
  readonly #agents = new Map<string, AgentEnd>();
  readonly #hosts = new Set<HostEnd>();
  #reports: QueuedReport[] = [];
  readonly #stored = new Map<string, Instant>();
  readonly #heartbeats = new Map<string, Stored<Heartbeat>>();
  #seq = 0;

  constructor(network: Network, random: Random) {
    this.#network = network;
    this.#random = random;
    this.#ahead = random.integer(-600_000, 600_000);
    this.#maxReports = random.pick([60, 10_000]);
  }

  get now(): Instant {
    return this.#network.time.now + this.#ahead;
  }

  get waiting(): number {
    return this.#reports.length;
  }

  connectAgent(agent: AgentEnd): void {
    this.#agents.set(agent.name, agent);
  }

  connectHost(host: HostEnd): void {
    this.#hosts.add(host);
  }

  /** Passes a claim on to one of the hosts. */
  ask(ask: ClaimAsk): void {
    const hosts = [...this.#hosts].filter(({ link }) => link.isConnected);
    if (hosts.length === 0) return;
    const host = this.#random.pick(hosts);
    host.link.deliver(() => host.receive(ask));
  }

  /** Sends a message to the process of an agent that is connected now. */
  tell(name: string, message: ToAgent): void {
    const agent = this.#agents.get(name);
    agent?.link.deliver(() => agent.receive(message));
  }

  tellAll(message: ToAgent): void {
    for (const name of this.#agents.keys()) this.tell(name, message);
  }

  /** Tells one agent of a pool that there is work. */
  tellPool(pool: string): void {
    const agents = [...this.#agents.values()].filter((agent) => agent.pools.includes(pool) && agent.link.isConnected);
    if (agents.length > 0) this.tell(this.#random.pick(agents).name, { kind: 'work' });
  }

  /** Stores a report, unless it has it. @returns whether it is stored; false = the stream is full. */
  publish(report: PublishedReport): boolean {
    const { now } = this;
    const id = `${report.claim}/${report.jobId}/${report.seq}`;
    if ((this.#stored.get(id) ?? Number.NEGATIVE_INFINITY) > now - doublesWindow) return true;
    if (this.#reports.length >= this.#maxReports) return false;
    this.#stored.set(id, now);
    this.#reports.push({ seq: ++this.#seq, at: now, body: report, due: now });
    for (const host of this.#hosts) host.link.deliver(() => host.notify());
    return true;
  }

  /** Delivers reports that are not being taken in. */
  pull(max: number): { readonly now: Instant; readonly reports: readonly Stored<PublishedReport>[] } {
    const { now } = this;
    const reports = this.#reports.filter(({ due }) => due <= now).slice(0, max);
    for (const report of reports) report.due = now + acknowledgementWait;
    return { now, reports };
  }

  acknowledge(seqs: ReadonlySet<number>): void {
    this.#reports = this.#reports.filter(({ seq }) => !seqs.has(seq));
  }

  /** Delivers reports again after that time. */
  postpone(seqs: ReadonlySet<number>, wait: Milliseconds): void {
    for (const report of this.#reports) if (seqs.has(report.seq)) report.due = this.now + wait;
  }

  /**
   * Stores a heartbeat in the place of the one before.
   * @param expected the number of the one before.
   * @returns the number of the one that is stored, and whether that is this one.
   */
  beat(agent: string, body: Heartbeat, expected: number): { readonly seq: number; readonly isStored: boolean } {
    const last = this.#heartbeats.get(agent)?.seq ?? 0;
    if (expected !== last) return { seq: last, isStored: false };
    this.#heartbeats.set(agent, { seq: ++this.#seq, at: this.now, body });
    return { seq: this.#seq, isStored: true };
  }

  /** Returns all that it keeps, without taking it. */
  read(): BrokerContent {
    return { now: this.now, reports: [...this.#reports], heartbeats: new Map(this.#heartbeats) };
  }
}
