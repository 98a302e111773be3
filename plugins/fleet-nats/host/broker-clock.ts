import type { Clock, Instant, Milliseconds } from '@horarium/core/plugin';
import type { HostBus } from './host-bus.ts';

/** How long a comparison of both clocks is used. */
const interval: Milliseconds = 30_000;

/**
 * Converts times of the broker to those of the service. Reports and heartbeats are dated by the broker, because agents may have
 * any time, and one host may take in what was published while another one was there. A time of the broker is
 * converted by how long ago it was, because the time of the service may jump: when an admin confirms its clock, for example.
 */
export class BrokerClock {
  readonly #clock: Clock;
  /** The time of the broker minus the uptime of this machine, which goes on while it is suspended; null = unknown. */
  #offset: Milliseconds | null = null;
  #comparedAt: Milliseconds = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether both clocks were compared. */
  get isKnown(): boolean {
    return this.#offset !== null;
  }

  /**
   * Compares both clocks.
   * @param again whether it does so also where that was done a short time ago.
   */
  async compare(bus: Pick<HostBus, 'brokerTime'>, { again = false } = {}): Promise<void> {
    if (!again && this.#clock.uptime() - this.#comparedAt < interval) return;
    const shown = await bus.brokerTime();
    this.#comparedAt = this.#clock.uptime();
    // The broker read its clock before it answered, so that nothing seems older than it is.
    this.#offset = shown - this.#comparedAt;
  }

  /** The time of the broker, also while it does not answer. */
  now(): Instant {
    return this.#clock.uptime() + (this.#offset ?? 0);
  }

  /** @param now the time of the service at this moment. */
  toService(at: Instant, now: Instant): Instant {
    return Math.round(now - Math.max(0, this.now() - at));
  }
}
