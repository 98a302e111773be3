import type { Clock, Milliseconds } from '@horarium/core/plugin';

/** How often the log is reminded of an outage. */
const interval: Milliseconds = 60_000;

/** Writes to the log when agents cannot be reached over NATS, once a minute while that lasts, and when it is over. */
export class NatsOutage {
  readonly #clock: Clock;
  readonly #log: (sentence: string) => void;
  /** When it was logged last; null = there is no outage. */
  #loggedAt: Milliseconds | null = null;

  constructor(clock: Clock, log: (sentence: string) => void) {
    this.#clock = clock;
    this.#log = log;
  }

  /** Agents cannot be reached. @param reason why, as a sentence. */
  lasts(reason: string): void {
    const now = this.#clock.elapsed();
    if (this.#loggedAt !== null && now - this.#loggedAt < interval) return;
    this.#loggedAt = now;
    this.#log(`agents are not connected; they run on, and their reports wait in NATS: ${reason}`);
  }

  /** Agents can be reached. */
  over(): void {
    if (this.#loggedAt === null) return;
    this.#loggedAt = null;
    this.#log('agents are connected again');
  }
}
