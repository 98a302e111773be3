import type { Milliseconds } from '@horarium/core';
import type { VirtualTime } from '../../clocks/virtual-time.ts';
import type { Random } from '../world/random.ts';
import type { FleetRecord } from './fleet-record.ts';
import type { Link, Network } from './network.ts';
import type { AgentSpec, SimulatedAgent } from './simulated-agent.ts';

const second = 1000;
const minute = 60 * second;
const day = 1440 * minute;

export interface FleetChaosOptions {
  readonly time: VirtualTime;
  readonly random: Random;
  readonly network: Network;
  readonly record: FleetRecord;
  /** The latest process of each agent. */
  readonly agents: ReadonlyMap<string, SimulatedAgent>;
  /** Starts a process of an agent. */
  start(spec: AgentSpec): void;
}

/** Disturbs agents at random: kills, pauses and disconnects them and moves their clocks, disconnects hosts, and stops the broker. */
export class FleetChaos {
  readonly #options: FleetChaosOptions;
  readonly #hosts = new Set<Link>();
  /** The probability that an agent is disturbed between two steps of an attempt. */
  readonly #stepRate: number;
  #ended = false;

  constructor(options: FleetChaosOptions) {
    this.#options = options;
    this.#stepRate = options.random.pick([0, 0.1, 0.3]);
  }

  begin(): void {
    const { random, network } = this.#options;
    this.#every(4 * minute, () => this.#withAgent((agent) => this.#kill(agent)));
    this.#every(8 * minute, () => this.#withAgent((agent) => this.#pause(agent)));
    this.#every(5 * minute, () => this.#withAgent(({ link }) => link.cutOff(this.#duration())));
    this.#every(8 * minute, () => this.#withAgent(({ clock }) => (clock.ahead = random.integer(-day, day))));
    this.#every(5 * minute, () => {
      const hosts = [...this.#hosts].filter((link) => link.isConnected);
      if (hosts.length > 0) random.pick(hosts).cutOff(this.#disconnection());
    });
    this.#every(15 * minute, () => network.stopBroker(this.#disconnection()));
  }

  end(): void {
    this.#ended = true;
  }

  /** Adds the connection of a host to those that are cut off. */
  disturbHost(link: Link): void {
    this.#hosts.add(link);
  }

  /** Disturbs an agent between two steps, now and then. */
  disturb(agent: SimulatedAgent): void {
    const { random } = this.#options;
    if (this.#ended || !agent.isAlive || !random.chance(this.#stepRate)) return;
    const cutOff = () => agent.link.cutOff(random.integer(second, 4 * minute));
    random.pick([() => this.#kill(agent), () => this.#pause(agent), cutOff, cutOff])();
  }

  #kill(agent: SimulatedAgent): void {
    const { time, random, start } = this.#options;
    agent.die();
    // Mostly it is there again within its lease.
    const absence = random.chance(0.3) ? random.integer(4, 12) * minute : random.integer(second, 80 * second);
    time.in(absence, () => this.#ended || start(agent.spec));
  }

  #pause(agent: SimulatedAgent): void {
    agent.pause(this.#options.random.integer(second, 90 * second));
  }

  #disconnection(): Milliseconds {
    const { time, record } = this.#options;
    const duration = this.#duration();
    record.disconnections.push({ from: time.now, to: time.now + duration });
    return duration;
  }

  /** Mostly less than a lease, and seldom longer than agents run on without hosts. */
  #duration(): Milliseconds {
    const { random } = this.#options;
    return random.chance(0.2) ? random.integer(1, 10) * minute : random.integer(second, 80 * second);
  }

  #withAgent(action: (agent: SimulatedAgent) => void): void {
    const { random, agents } = this.#options;
    const alive = [...agents.values()].filter(({ isAlive }) => isAlive);
    if (alive.length > 0) action(random.pick(alive));
  }

  /** Repeats an action at random intervals with this mean, until the disturbance ends. */
  #every(mean: Milliseconds, action: () => void): void {
    const { time, random } = this.#options;
    time.in(Math.ceil(-Math.log(1 - random.next()) * mean), () => {
      if (this.#ended) return;
      action();
      this.#every(mean, action);
    });
  }
}
