import type { Clock, Milliseconds } from '../../loop/clock.ts';
import type { Tables } from '../../store/store.ts';
import { newRow } from '../../store/table.ts';
import type { LiveAttempt } from '../live-attempt.ts';
import { hasSilentWorker, WorkerLease } from './worker-lease.ts';

export interface WorkerIdentity {
  /** The unique name of the epoch. */
  readonly name: string;
  readonly host: string;
  readonly pid: number;
  readonly capacity: number;
  readonly executors?: string;
  readonly vault_keys?: string;
}

export interface LeaseTimes {
  /** How long a lease lasts after it was renewed. */
  readonly duration: Milliseconds;
  /** The interval between renewals. */
  readonly renewal: Milliseconds;
  /** How long before its end the worker abandons its attempts, so that none of them lives into the next attempt. */
  readonly margin: Milliseconds;
  /** How long a worker that lives renews its lease within, whatever delays it. */
  readonly silence: Milliseconds;
}

/** Returns the interval and the margin for a lease of this duration. */
export function leaseTimes(duration: Milliseconds = 10_000): LeaseTimes {
  return { duration, renewal: duration / 4, margin: duration * 0.3, silence: duration * 0.4 };
}

/**
 * One epoch of a worker: a lease, and the attempts that run under it. The store's clock decides whether it has run out;
 * this process watches it by its own monotonic clock, which changes of the time of day do not affect.
 */
export class LeaseEpoch {
  readonly name: string;
  /** The attempts that run under this lease, by job. */
  readonly attempts = new Map<number, LiveAttempt>();
  readonly #identity: WorkerIdentity;
  readonly #times: LeaseTimes;
  readonly #clock: Clock;
  readonly #begunAt: Milliseconds;
  /** Monotonic time of the last renewal, taken before it was requested; null = not registered yet. */
  #renewedAt: Milliseconds | null = null;
  /** Monotonic time at which the latest renewal was requested, whether it is committed or not. */
  #requestedAt: Milliseconds = Number.NEGATIVE_INFINITY;

  constructor(identity: WorkerIdentity, times: LeaseTimes, clock: Clock) {
    this.name = identity.name;
    this.#identity = identity;
    this.#times = times;
    this.#clock = clock;
    this.#begunAt = clock.elapsed();
  }

  /** How long a lease lasts after it was renewed. */
  get duration(): Milliseconds {
    return this.#times.duration;
  }

  /** Whether its lease is in the store, so that others notice if the worker dies. */
  get isRegistered(): boolean {
    return this.#renewedAt !== null;
  }

  /** Whether another worker seems to be dead. One that has just begun takes every other one for that. */
  async hasSilentOther(tables: Tables): Promise<boolean> {
    const { duration, silence } = this.#times;
    const isNew = this.#clock.elapsed() - this.#begunAt < silence;
    return hasSilentWorker(tables, this.name, { duration, silence: isNew ? 0 : silence });
  }

  /** The time until the next renewal; zero or less = it is due. */
  get untilRenewal(): Milliseconds {
    return this.#renewedAt === null ? 0 : this.#renewedAt + this.#times.renewal - this.#clock.elapsed();
  }

  /** The time for which attempts may run without a further renewal. */
  get untilAbandoning(): Milliseconds {
    if (this.#renewedAt === null) return this.#times.duration;
    return this.#remaining(this.#renewedAt);
  }

  /** Whether the attempts must be abandoned, because the lease is about to run out or has. */
  get isOver(): boolean {
    return this.attempts.size > 0 && this.untilAbandoning <= 0;
  }

  /** Whether an attempt may start under the latest renewal, once that is committed. */
  get canStart(): boolean {
    return this.#remaining(this.#requestedAt) > 0;
  }

  #remaining(renewedAt: Milliseconds): Milliseconds {
    return renewedAt + this.#times.duration - this.#times.margin - this.#clock.elapsed();
  }

  /**
   * Registers the worker, or renews its lease.
   * @returns false when the lease has run out, so that any reaper may mark the jobs lost.
   */
  async renew(tables: Tables): Promise<boolean> {
    const requestedAt = this.#clock.elapsed();
    this.#requestedAt = requestedAt;
    const now = await tables.now();
    const extension = { lease_until: now + this.#times.duration };
    const unexpired = [
      ['name', '=', this.name],
      ['lease_until', '>', now],
    ] as const;
    if (this.#renewedAt === null) {
      // The row may exist already: the acknowledgement of an earlier registration may not have arrived.
      const row = newRow(WorkerLease, { ...this.#identity, ...extension, started_at: now });
      await tables.of(WorkerLease).insertAbsent([row], ['name']);
    }
    if ((await tables.of(WorkerLease).updateWhere(unexpired, extension)) === 0) return false;
    tables.afterCommit(() => {
      this.#renewedAt = requestedAt;
    });
    return true;
  }

  /** Deletes the lease, so that the worker does not count as lost. */
  async release(tables: Tables): Promise<void> {
    await tables.of(WorkerLease).delete([['name', '=', this.name]]);
  }
}
