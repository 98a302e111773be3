import type { Clock, Instant, Milliseconds } from '@horarium/core/plugin';
import type { HostBus } from './host-bus.ts';

/** How long a comparison of both clocks is used. */
const interval: Milliseconds = 30_000;

/**
 * Converts times of the broker to those of the service. Reports and heartbeats are dated by the broker, because agents may have
 * any time, and one host may take in what was published while another one was there.
 */
export class BrokerClock {
  readonly #clock: Clock;
  /** The time of the service minus that of the broker. */
  #offset: Milliseconds = 0;
  #measuredAt: Milliseconds | null = null;
  /** The time of the broker minus the monotonic one. */
  #brokerOffset: Milliseconds = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether both clocks were compared. */
  get isKnown(): boolean {
    return this.#measuredAt !== null;
  }

  /**
   * Compares both clocks, unless that was done a short time ago.
   * @param now reads the time of the service.
   */
  async compare(bus: Pick<HostBus, 'brokerTime'>, now: () => Promise<Instant>): Promise<void> {
    if (this.#measuredAt !== null && this.#clock.elapsed() - this.#measuredAt < interval) return;
    const before = this.#clock.elapsed();
    const broker = await bus.brokerTime();
    const middle = (this.#clock.elapsed() + before) / 2;
    const service = await now();
    // The read of the store took its time too.
    const read = this.#clock.elapsed();
    this.#offset = Math.round(service - (read - middle) / 2 - broker);
    this.#brokerOffset = broker - middle;
    this.#measuredAt = read;
  }

  /** The time of the broker, also while neither it nor the store answers. */
  now(): Instant {
    return this.#clock.elapsed() + this.#brokerOffset;
  }

  toService(at: Instant): Instant {
    return at + this.#offset;
  }
}
