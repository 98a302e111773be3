import type { Clock, Milliseconds } from '@horarium/core/plugin';

/** How long no host gives a sign of life until the hosts count as away. */
const silence: Milliseconds = 10_000;
/** The grace until a host sets another one. */
const usualGrace: Milliseconds = 15 * 60_000;

/** Knows how long no host has shown a sign of life. An agent that has just begun takes them for present. */
export class HostsWatch {
  /** How long attempts may go on while the hosts are away. */
  offlineGrace = usualGrace;
  readonly #clock: Clock;
  #seenAt: Milliseconds;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#seenAt = clock.uptime();
  }

  get areAway(): boolean {
    return this.#silentFor >= silence;
  }

  get areAwayTooLong(): boolean {
    return this.#silentFor >= this.offlineGrace;
  }

  /** Takes a sign of life. */
  seen(): void {
    this.#seenAt = this.#clock.uptime();
  }

  get #silentFor(): Milliseconds {
    return this.#clock.uptime() - this.#seenAt;
  }
}
