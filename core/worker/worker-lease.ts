import type { Clock, Milliseconds } from '../loop/clock.ts';
import type { Tables } from '../store/store.ts';
import { newRow } from '../store/table.ts';
import { Worker } from './worker.ts';

export interface WorkerIdentity {
  /** A name that no other life of any process ever has. */
  readonly name: string;
  readonly host: string;
  readonly pid: number;
  readonly capacity: number;
  readonly vault_keys?: string;
}

export interface LeaseTimes {
  /** How long a lease lasts after it was renewed. */
  readonly duration: Milliseconds;
  /** How often it is renewed. */
  readonly renewal: Milliseconds;
  /** How long before its end this process gives its jobs up, so that none of them lives into the next attempt. */
  readonly margin: Milliseconds;
}

/** The times that go with a lease of that length; 10 s is right where nothing says otherwise. */
export function leaseTimes(duration: Milliseconds = 10_000): LeaseTimes {
  return { duration, renewal: duration / 4, margin: duration * 0.3 };
}

/** This process's claim on the jobs that it runs, judged by the store's clock; one row, however many jobs. */
export class WorkerLease {
  readonly name: string;
  readonly #identity: WorkerIdentity;
  readonly #times: LeaseTimes;
  readonly #clock: Clock;
  /** Stopwatch time of the last renewal, taken before it was asked for; null = not registered yet. */
  #renewedAt: Milliseconds | null = null;

  constructor(identity: WorkerIdentity, times: LeaseTimes, clock: Clock) {
    this.name = identity.name;
    this.#identity = identity;
    this.#times = times;
    this.#clock = clock;
  }

  /** How long until it should be renewed; zero or less = now. */
  get untilRenewal(): Milliseconds {
    return this.#renewedAt === null ? 0 : this.#renewedAt + this.#times.renewal - this.#clock.elapsed();
  }

  /** How long this process may still run its jobs without a further renewal. */
  get untilAbandoning(): Milliseconds {
    if (this.#renewedAt === null) return this.#times.duration;
    return this.#renewedAt + this.#times.duration - this.#times.margin - this.#clock.elapsed();
  }

  /** Registers the worker, or renews its lease. False = the lease has run out: its jobs belong to nobody now. */
  async renew(tables: Tables): Promise<boolean> {
    const asked = this.#clock.elapsed();
    const now = await tables.now();
    const until = { lease_until: now + this.#times.duration };
    const mine = [
      ['name', '=', this.name],
      ['lease_until', '>', now],
    ] as const;
    if (this.#renewedAt === null) {
      // It is there already when an earlier registration was committed without this process hearing of it.
      const row = newRow(Worker, { ...this.#identity, ...until, started_at: now });
      await tables.of(Worker).insertAbsent([row], ['name']);
    }
    if ((await tables.of(Worker).updateWhere(mine, until)) === 0) return false;
    tables.afterCommit(() => {
      this.#renewedAt = asked;
    });
    return true;
  }

  /** Gives the lease back. */
  async release(tables: Tables): Promise<void> {
    await tables.of(Worker).delete([['name', '=', this.name]]);
  }
}
