import type { Clock, Milliseconds } from '../../loop/clock.ts';
import type { RecordedChange } from '../shared-entries.ts';
import type { LogPosition, ReadChanges } from './read-changes.ts';

/** Changes that a subscriber has not got before. */
export interface FeedBatch {
  readonly changes: readonly RecordedChange[];
  /**
   * Whether changes before these are left out, because there were too many of them, or they are no longer in the log: a
   * subscriber that keeps a copy of records reads them again.
   */
  readonly isReset: boolean;
  /** A later subscriber goes on behind this entry of the sealed chain; it may get the last changes of this one again. */
  readonly after: number;
}

/** How many changes wait for a subscriber in memory at most, and how many characters they hold about. */
const maxQueued = { changes: 1000, size: 1024 * 1024 };

/** The queue of one subscriber. What has no room in it is read from the log once the subscriber has taken what it holds. */
export class Subscriber {
  /** How far the log was read for it. */
  position: LogPosition;
  readonly #maxBehind: number;
  #changes: RecordedChange[] = [];
  #size = 0;
  #isReset = false;
  #failure: { readonly error: unknown } | null = null;
  #waiting = new AbortController();

  constructor(position: LogPosition, maxBehind: number) {
    this.position = position;
    this.#maxBehind = maxBehind;
  }

  get isFull(): boolean {
    return this.#changes.length >= maxQueued.changes || this.#size >= maxQueued.size;
  }

  /** Whether it is further behind the end of the log, or its position is one of another log, than it is to catch up with. */
  isLost({ seq }: LogPosition, hasGap: boolean): boolean {
    if (this.#maxBehind === Infinity) return false;
    return hasGap || seq < this.position.seq || seq - this.position.seq > this.#maxBehind;
  }

  readonly wake = (): void => {
    this.#waiting.abort('woken');
  };

  push({ changes, size, next }: ReadChanges): void {
    this.position = next;
    if (changes.length === 0) return;
    this.#changes.push(...changes);
    this.#size += size;
    this.wake();
  }

  /** Goes on at the end of the log, without what lies before it. */
  reset(end: LogPosition): void {
    this.position = end;
    this.#changes = [];
    this.#size = 0;
    this.#isReset = true;
    this.wake();
  }

  fail(error: unknown): void {
    this.#failure = { error };
    this.wake();
  }

  /** @returns null when there is nothing to take. @throws what the reader failed with. */
  take(): FeedBatch | null {
    if (this.#failure) throw this.#failure.error;
    if (this.#changes.length === 0 && !this.#isReset) return null;
    const batch = { changes: this.#changes, isReset: this.#isReset, after: this.position.seq };
    this.#changes = [];
    this.#size = 0;
    this.#isReset = false;
    return batch;
  }

  /** Waits until there is something to take, or it is woken for another reason. @returns false after so long. */
  async wait(clock: Clock, max: Milliseconds): Promise<boolean> {
    this.#waiting = new AbortController();
    const { signal } = this.#waiting;
    await clock.sleep(max, signal);
    return signal.aborted;
  }
}
