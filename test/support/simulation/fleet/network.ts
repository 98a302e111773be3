import type { Instant, Milliseconds } from '@horarium/core';
import type { VirtualTime } from '../../clocks/virtual-time.ts';
import type { Random } from '../world/random.ts';
import { responseWait } from './fleet-times.ts';

/** The probabilities that a message is lost, doubled and late. */
export interface MessageFaults {
  readonly lost: number;
  readonly doubled: number;
  readonly late: number;
}

/** The maximum delay of a late message. */
const maxDelay: Milliseconds = 15_000;

/** The way between processes and the broker, on which messages are lost, doubled, late and out of order. */
export class Network {
  readonly time: VirtualTime;
  readonly #random: Random;
  #faults: MessageFaults;
  #downUntil: Instant = 0;

  constructor(time: VirtualTime, random: Random) {
    this.time = time;
    this.#random = random;
    this.#faults = {
      lost: random.pick([0, 0.02, 0.15]),
      doubled: random.pick([0, 0.05, 0.2]),
      late: random.pick([0, 0.05, 0.2]),
    };
  }

  /** From now on all messages arrive at once. */
  calm(): void {
    this.#faults = { lost: 0, doubled: 0, late: 0 };
    this.#downUntil = 0;
  }

  /** Lets the broker be down for that long. What it has stored stays. */
  stopBroker(duration: Milliseconds): void {
    this.#downUntil = this.time.now + duration;
  }

  get isUp(): boolean {
    return this.time.now >= this.#downUntil;
  }

  /** Plans the arrivals of a message. */
  carry(arrive: () => void): void {
    const random = this.#random;
    if (random.chance(this.#faults.lost)) return;
    for (let copy = random.chance(this.#faults.doubled) ? 2 : 1; copy > 0; copy--)
      this.time.in(random.chance(this.#faults.late) ? random.integer(0, maxDelay) : random.integer(1, 40), arrive);
  }
}

/** A process with a connection to the broker. */
interface Endpoint {
  isAlive(): boolean;
  /** Until when it does nothing. */
  pausedUntil(): Instant;
}

/** The connection of one process to the broker. */
export class Link {
  readonly #network: Network;
  readonly #endpoint: Endpoint;
  #cutOffUntil: Instant = 0;

  constructor(network: Network, endpoint: Endpoint) {
    this.#network = network;
    this.#endpoint = endpoint;
  }

  /** Loses all messages of the process for that long. */
  cutOff(duration: Milliseconds): void {
    this.#cutOffUntil = this.#network.time.now + duration;
  }

  get isConnected(): boolean {
    return this.#network.isUp && this.#endpoint.isAlive() && this.#network.time.now >= this.#cutOffUntil;
  }

  /** Sends a message to the broker. */
  send(arrive: () => void): void {
    if (!this.#endpoint.isAlive()) return;
    // What is on its way when the process dies still arrives.
    if (this.isConnected) this.#network.carry(() => this.#network.isUp && arrive());
  }

  /** Sends a message from the broker. */
  deliver(arrive: () => void): void {
    this.#network.carry(() => this.isConnected && this.whenAwake(arrive));
  }

  /** Acts at once, or when the process goes on; a dead one never does. */
  whenAwake(action: () => void): void {
    const until = this.#endpoint.pausedUntil();
    if (!this.#endpoint.isAlive()) return;
    if (until > this.#network.time.now) this.#network.time.at(until, () => this.whenAwake(action));
    else action();
  }

  /** Acts after that time, if the process is alive. */
  in(duration: Milliseconds, action: () => void): void {
    this.#network.time.in(duration, () => this.whenAwake(action));
  }

  /** Asks the broker. @returns null when no response came in time; never when the process dies. */
  request<T>(serve: () => T): Promise<T | null> {
    return new Promise((resolve) => {
      this.send(() => {
        const response = serve();
        this.deliver(() => resolve(response));
      });
      this.in(responseWait, () => resolve(null));
    });
  }
}
