import type { Clock, Milliseconds } from '@horarium/core/plugin';

/** The lease until a host sets another one. */
const usualLease: Milliseconds = 10_000;

/**
 * How long an agent may run its attempts. Its time counts from the moment at which the last stored heartbeat was sent, by a clock
 * that goes on while the machine is suspended: hosts count from a later one.
 */
export class AgentLease {
  /** How long it lasts after a heartbeat. */
  duration = usualLease;
  readonly #clock: Clock;
  #renewedAt: Milliseconds = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The time for which attempts may run without a further heartbeat; zero or less = they may not. */
  get remaining(): Milliseconds {
    return this.#renewedAt + this.duration - this.#clock.uptime();
  }

  get holds(): boolean {
    return this.remaining > 0;
  }

  /** @param sentAt when the heartbeat was sent that is stored. */
  renew(sentAt: Milliseconds): void {
    this.#renewedAt = Math.max(this.#renewedAt, sentAt);
  }
}
