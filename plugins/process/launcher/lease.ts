import { uptime } from 'node:os';

/** The milliseconds between two checks. A single timer would fire late on a machine that was suspended. */
const checkInterval = 1000;

/**
 * The lease of the server's jobs, a dead man's switch. The server renews it; a server that hangs, is paused or has lost
 * its database does not, so its jobs are killed when the lease expires. Time is counted since the machine started: it
 * includes suspension, and no clock change affects it.
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

  /** @param until seconds since the machine started. */
  renew(until: number): void {
    const isShorter = until < this.#until;
    this.#until = until;
    if (this.#timer && !isShorter) return;
    if (this.#timer) clearTimeout(this.#timer);
    this.#check();
  }

  readonly #check = (): void => {
    this.#timer = null;
    const left = (this.#until - uptime()) * 1000;
    if (left <= 0) this.#onExpired();
    else this.#timer = setTimeout(this.#check, Math.min(left, checkInterval));
  };
}
