import type { Milliseconds } from '@horarium/core';
import type { VirtualTime } from '../../clocks/virtual-time.ts';
import type { Fault } from './faulty-store.ts';
import type { Random } from './random.ts';
import type { Script } from './simulated-executor.ts';
import type { Disturbance, World } from './world.ts';

const second = 1000;
const minute = 60 * second;

export interface ChaosOptions {
  readonly world: World;
  readonly random: Random;
  readonly time: VirtualTime;
  readonly until: number;
}

/** How many hosts run at once. */
export const maxHosts = 3;

/** Disturbs a world at random: kills, pauses and disconnects hosts, moves clocks, sends requests of users and fails transactions. */
export class Chaos implements Disturbance {
  /** When it ends; an outage of all hosts postpones it. */
  until: number;
  readonly #world: World;
  readonly #random: Random;
  readonly #time: VirtualTime;
  /** The probability that a transaction fails in this run. */
  readonly #faultRate: number;
  /** The probability that an attempt takes minutes. */
  readonly #slowRate: number;
  /** Hosts die when they prepare a job whose id this divides. */
  readonly #deadlyJobs: number;
  #ended = false;
  #outage = false;
  /** True = users send no requests during the outage. */
  #usersPaused = false;

  constructor({ world, random, time, until }: ChaosOptions) {
    this.until = until;
    this.#world = world;
    this.#random = random;
    this.#time = time;
    this.#faultRate = random.pick([0, 0.005, 0.02, 0.06]);
    this.#slowRate = random.pick([0.02, 0.1, 0.3]);
    this.#deadlyJobs = random.pick([4, 30, Infinity]);
    world.disturbance = this;
    for (let host = random.integer(1, 3); host > 0; host--) this.#addHost();
    this.#every(8 * minute, () => this.#killHost());
    this.#every(9 * minute, () => this.#pauseHost());
    this.#every(15 * minute, () => this.#stopHost());
    this.#every(5 * minute, () => this.#moveClocks());
    this.#every(random.pick([1, 2, 4, 12]) * minute, () => this.#sendRequest());
    this.#every(12 * minute, () => this.#disconnectHost());
    this.#every(random.pick([15, 60]) * minute, () => world.clockFaults.jumpAhead());
    this.#every(random.pick([30, 120]) * minute, () => world.clockFaults.suspend());
    if (random.chance(0.3)) time.in(random.integer(3, 25) * minute, () => this.#ended || world.clockFaults.setBack());
    if (random.chance(0.5)) time.in(random.integer(3, 25) * minute, () => this.#beginOutage());
  }

  end(): void {
    this.#ended = true;
    this.#world.clockFaults.end();
    this.#world.disturbance = null;
  }

  script(): Script {
    const random = this.#random;
    const slow = random.chance(this.#slowRate);
    return {
      duration: slow ? random.integer(1, 15) * minute : random.integer(1, 30_000),
      exitCode: random.chance(0.7) ? 0 : random.pick([1, 1, 1, 2, 3, 4]),
      ignoresStopFor: random.chance(0.5) ? 0 : random.integer(0, 80 * second),
      output: random.chance(0.2)
        ? ['begun\n', 'half way\n', 'a warning\n', 'done\n'].slice(0, random.integer(1, 4))
        : [],
    };
  }

  nextFault(readOnly: boolean): Fault | null {
    const random = this.#random;
    if (!random.chance(readOnly ? this.#faultRate / 10 : this.#faultRate)) return null;
    const duration: Milliseconds = random.integer(1, 80 * second);
    return random.pick<Fault>([
      { kind: 'dies before commit' },
      { kind: 'dies after commit' },
      { kind: 'fails' },
      { kind: 'fails after commit' },
      { kind: 'slow', duration },
      { kind: 'pauses before', duration },
      { kind: 'pauses after', duration },
    ]);
  }

  /** Replaces the host within minutes. */
  hostDied(): void {
    if (!this.#ended && !this.#outage)
      this.#time.in(this.#random.integer(2 * second, 4 * minute), () => this.#addHost());
  }

  isDeadly(jobId: number): boolean {
    return jobId % this.#deadlyJobs === 0;
  }

  #addHost(): void {
    if (!this.#ended && !this.#outage && this.#world.hosts.length < maxHosts)
      this.#world.addHost(this.#random.pick([1, 2, 4, 8]));
  }

  #killHost(): void {
    if (this.#world.hosts.length > 0) this.#random.pick(this.#world.hosts).die();
  }

  #pauseHost(): void {
    if (this.#world.hosts.length > 0)
      this.#random.pick(this.#world.hosts).pause(this.#random.integer(second, 90 * second));
  }

  #stopHost(): void {
    if (this.#world.hosts.length === 0) return;
    const host = this.#random.pick(this.#world.hosts);
    host.stop(this.#random.integer(0, 60 * second)).catch((error) => {
      this.#world.recordError(error);
      host.die();
    });
  }

  /** Disconnects a host from the database for up to a minute. */
  #disconnectHost(): void {
    if (this.#world.hosts.length > 0)
      this.#random.pick(this.#world.hosts).cutOff(this.#random.integer(second, 60 * second));
  }

  /** Sends a request of a user, often exactly when windows begin. */
  #sendRequest(): void {
    if (this.#usersPaused || this.#world.clockFaults.isUnrecorded) return;
    const { now, storeAhead } = this.#time;
    const next = Math.ceil((now + storeAhead) / minute) * minute - storeAhead;
    const send = () => void this.#world.people.act().catch((error) => this.#world.recordError(error));
    if (this.#random.chance(0.5))
      this.#time.at(next, () => this.#ended || this.#world.clockFaults.isUnrecorded || send());
    else send();
  }

  #moveClocks(): void {
    this.#time.storeAhead += this.#random.integer(-400, 900);
    for (const host of this.#world.hosts)
      if (this.#random.chance(0.5)) host.clock.ahead = this.#random.integer(-60_000, 60_000);
  }

  /** Kills all hosts for minutes or hours; in half of the cases users send no requests meanwhile. */
  #beginOutage(): void {
    if (this.#ended) return;
    const duration = this.#random.pick([20, 60, 150, 400]) * minute;
    this.#outage = true;
    this.#usersPaused = this.#random.chance(0.5);
    this.until += duration;
    for (const host of [...this.#world.hosts]) host.die();
    this.#time.in(duration, () => {
      this.#outage = false;
      this.#usersPaused = false;
      for (let host = this.#random.integer(1, 2); host > 0; host--) this.#addHost();
    });
  }

  /** Repeats an action at random intervals with this mean, until the chaos ends. */
  #every(mean: Milliseconds, action: () => void): void {
    const wait = Math.ceil(-Math.log(1 - this.#random.next()) * mean);
    this.#time.in(wait, () => {
      if (this.#ended) return;
      action();
      this.#every(mean, action);
    });
  }
}
