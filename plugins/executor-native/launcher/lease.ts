import { uptime } from 'node:os';

/** How often, in milliseconds, the time is looked at: a machine that was suspended finds its timers late. */
const lookEvery = 1000;

/**
 * The dead man's switch: as long as the server renews its lease its jobs may live; a server that hangs, is paused or
 * has lost its database does not, and when the time has passed its jobs must be gone. The time is that since the
 * machine started, which goes on while the machine sleeps and knows no clock changes.
 */
export class Lease {
  readonly #onExpired: () => void;
  #until = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | null = null;

  constructor(onExpired: () => void) {
    this.#onExpired = onExpired;
  }

  get expired(): boolean {
    return this.#until !== Number.POSITIVE_INFINITY && uptime() >= this.#until;
  }

  /** Seconds since the machine started. */
  renew(until: number): void {
    this.#until = until;
    if (!this.#timer) this.#look();
  }

  readonly #look = (): void => {
    this.#timer = null;
    const left = (this.#until - uptime()) * 1000;
    if (left <= 0) this.#onExpired();
    else this.#timer = setTimeout(this.#look, Math.min(left, lookEvery));
  };
}
