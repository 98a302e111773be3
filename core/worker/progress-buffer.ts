import type { AttemptProgress } from '../executor/attempt-progress.ts';
import type { Clock, Milliseconds } from '../loop/clock.ts';

/** How long after the one before a progress is stored. */
const writeInterval: Milliseconds = 1000;

/** Keeps the latest progress of a job until it is stored, at most once a second: a job may report it at any rate. */
export class ProgressBuffer {
  readonly #clock: Clock;
  #latest: AttemptProgress | null = null;
  /** By the monotonic clock. */
  #writtenAt: Milliseconds = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** What the store does not have yet; null = it has the latest one. */
  get latest(): AttemptProgress | null {
    return this.#latest;
  }

  /** @returns whether the store had the one before. */
  set(progress: AttemptProgress): boolean {
    const isFirst = this.#latest === null;
    this.#latest = progress;
    return isFirst;
  }

  /** Returns the time until it must be written; Infinity = there is none. */
  untilDue(): Milliseconds {
    if (this.#latest === null) return Infinity;
    return Math.max(0, this.#writtenAt + writeInterval - this.#clock.elapsed());
  }

  /** Notes that the store has a progress that was the latest. */
  written(progress: AttemptProgress): void {
    if (this.#latest === progress) this.#latest = null;
    this.#writtenAt = this.#clock.elapsed();
  }
}
