import {
  type Clock,
  type Instant,
  type LiveAgent,
  type Milliseconds,
  type PluginCore,
  type RunningAttempt,
  type Tables,
  yieldToEventLoop,
} from '@horarium/core/plugin';
import { Agent, type AgentPools, type AgentRow, readPools } from '../records/agent.ts';
import type { AgentHeartbeat } from '../wire/messages/messages.ts';
import type { BrokerClock } from './broker-clock.ts';

/** How often it is written which agents are alive, where nothing of them has changed. */
const presenceInterval: Milliseconds = 10_000;

interface Seen {
  readonly heartbeat: AgentHeartbeat;
  /** When its latest heartbeat was published, by the clock of the broker. */
  readonly at: Instant;
  /** When it came, by the monotonic clock. */
  readonly cameAt: Milliseconds;
}

/** An agent whose leases are renewed by a heartbeat. */
interface SeenAlive extends LiveAgent, Pick<Seen, 'at'> {}

interface Written {
  readonly shown: string;
  /** What of its heartbeat counts. */
  readonly state: string;
  readonly at: Milliseconds;
}

/** The latest heartbeat of each agent, and what of them the store has. */
export class SeenAgents {
  readonly #clock: Clock;
  readonly #broker: BrokerClock;
  readonly #lease: Milliseconds;
  readonly #seen = new Map<string, Seen>();
  /** The heartbeats that leases were renewed by. */
  readonly #renewed = new Map<string, Instant>();
  /** The agents of which this host has taken a heartbeat since it may have missed some. */
  readonly #followed = new Set<string>();
  /** Those of them whose leases are still to be renewed as a whole. */
  readonly #partlySeen = new Set<string>();
  /** When another process of an agent was heard last, by the clock of the broker. */
  readonly #earlierProcessAt = new Map<string, Instant>();
  /** What was written of each agent by which heartbeat, and when by the monotonic clock. */
  readonly #written = new Map<string, Written>();

  /** @param lease how long attempts live after a heartbeat, with what the messages take. */
  constructor(clock: Clock, broker: BrokerClock, lease: Milliseconds) {
    this.#clock = clock;
    this.#broker = broker;
    this.#lease = lease;
  }

  /** Takes a heartbeat; one that is older than the latest, or doubled, changes nothing. */
  see(agent: string, heartbeat: AgentHeartbeat, at: Instant): void {
    if (!this.#followed.has(agent)) this.#partlySeen.add(agent);
    this.#followed.add(agent);
    if ((this.#seen.get(agent)?.at ?? Number.NEGATIVE_INFINITY) < at)
      this.#seen.set(agent, { heartbeat, at, cameAt: this.#clock.elapsed() });
  }

  /** Takes that a process of an agent runs beside a later one. @returns whether none did in the minute before. */
  seeEarlierProcess(agent: string, at: Instant): boolean {
    const before = this.#earlierProcessAt.get(agent) ?? Number.NEGATIVE_INFINITY;
    this.#earlierProcessAt.set(agent, at);
    return at - before > 60_000;
  }

  /**
   * Heartbeats may have been missed: the broker keeps the latest one of each agent. Another process of the agent may still run
   * attempts, or have died and left them to end with its lease.
   */
  missed(): void {
    this.#followed.clear();
  }

  /** The latest heartbeat of an agent; undefined = none has come. */
  of(agent: string): AgentHeartbeat | undefined {
    return this.#seen.get(agent)?.heartbeat;
  }

  /** The attempts that all agents run, by their latest heartbeats. */
  get running(): RunningAttempt[] {
    return [...this.#seen.keys()].flatMap((agent) => this.runningOn(agent));
  }

  /** The attempts that an agent runs, by its latest heartbeat. */
  runningOn(agent: string): RunningAttempt[] {
    const running = this.of(agent)?.running ?? [];
    return running.map(({ job, claim }) => ({ agent, jobId: job, claim }));
  }

  /** The names of the agents that are alive. */
  alive(now: Instant): string[] {
    return [...this.#seen.keys()].filter((agent) => this.isAlive(agent, now));
  }

  /** Whether the latest heartbeat of an agent is younger than the lease, and not its last one. */
  isAlive(agent: string, now: Instant): boolean {
    const seen = this.#seen.get(agent);
    return seen !== undefined && !seen.heartbeat.stopped && this.#until(seen.at, now) > now;
  }

  #until(at: Instant, now: Instant): Instant {
    return this.#broker.toService(at, now) + this.#lease;
  }

  /**
   * Lists the agents that run attempts, and have shown so since the leases were renewed last.
   * @param again whether it lists the others too.
   */
  toRenew(now: Instant, { again }: { readonly again: boolean }): SeenAlive[] {
    const live: SeenAlive[] = [];
    for (const [agent, { heartbeat, at }] of this.#seen) {
      const of = { agent, at, lease: this.#lease, until: this.#until(at, now) };
      if (this.#partlySeen.has(agent)) live.push({ ...of, running: null });
      else if (heartbeat.running.length > 0 && (again || this.#renewed.get(agent) !== at))
        live.push({ ...of, running: this.runningOn(agent) });
    }
    return live;
  }

  /** Remembers that the leases of these agents were renewed by those heartbeats. */
  renewed(agents: readonly SeenAlive[]): void {
    for (const { agent, at, running } of agents) {
      this.#renewed.set(agent, at);
      if (running === null) this.#partlySeen.delete(agent);
    }
  }

  /** The names of the agents that have said that they end, where the store does not have it. */
  #unwrittenStops(): string[] {
    const stopped = [...this.#seen].filter(([, { heartbeat }]) => heartbeat.stopped);
    return stopped
      .filter(([agent, { heartbeat }]) => this.#written.get(agent)?.state !== stateOf(heartbeat))
      .map(([agent]) => agent);
  }

  /** Whether something of an agent has changed that the store does not have, or it is time to say that it is alive. */
  get isPresenceDue(): boolean {
    const now = this.#clock.elapsed();
    return [...this.#seen].some(([agent, { heartbeat, cameAt }]) => {
      if (now - cameAt >= this.#lease && !heartbeat.stopped) return false;
      const written = this.#written.get(agent);
      return written?.state !== stateOf(heartbeat) || (!heartbeat.stopped && now - written.at >= presenceInterval);
    });
  }

  /** Writes which agents are alive or have said that they end, as far as it is time or something of them has changed. */
  async writePresence(tables: Tables, { agents }: Pick<PluginCore, 'agents'>, now: Instant): Promise<void> {
    const names = [...this.alive(now), ...this.#unwrittenStops()];
    if (names.length === 0) return;
    const records = new Map(
      (await tables.of(Agent).find({ where: [['name', 'in', names]] })).map((agent) => [agent.name, agent]),
    );
    const pools = await readPools(tables, [...records.values()]);
    const changed = [];
    for (const name of names) {
      await yieldToEventLoop();
      const [record, seen] = [records.get(name), this.#seen.get(name)];
      if (!seen) continue;
      const presence = record && presenceOf(record, seen.heartbeat, pools.get(record.id) ?? new Map());
      const shown = JSON.stringify(presence ?? null);
      const written = this.#written.get(name);
      const elapsed = this.#clock.elapsed();
      if (written?.shown === shown && elapsed - written.at < presenceInterval) continue;
      const seen_at = Math.min(this.#broker.toService(seen.at, now), now);
      const alive_until = presence?.stopped ? seen_at : this.#until(seen.at, now) + presenceInterval;
      const secondAt = this.#earlierProcessAt.get(name);
      const second = secondAt !== undefined && { second_process_at: this.#broker.toService(secondAt, now) };
      if (presence) changed.push({ ...presence, ...second, seen_at, alive_until });
      tables.afterCommit(() => this.#written.set(name, { shown, state: stateOf(seen.heartbeat), at: elapsed }));
    }
    await agents.seenIn(tables, changed);
  }
}

function stateOf({ slots, labels, executors, draining, stopped, version, instance }: AgentHeartbeat): string {
  return JSON.stringify([slots, labels, executors, draining, stopped, version, instance]);
}

function presenceOf(record: AgentRow, heartbeat: AgentHeartbeat, ofAgent: AgentPools) {
  const { slots, labels, executors, draining, version } = heartbeat;
  const takes = record.state === 'active' && !draining;
  const pools = Object.fromEntries([...ofAgent].map(([pool, companies]) => [pool, companies && [...companies]]));
  const stopped = heartbeat.stopped || record.state === 'revoked';
  return { agent: record.name, pools, labels, executors: [...executors], slots: takes ? slots : 0, version, stopped };
}
