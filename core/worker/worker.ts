import { endOrphanedClaims } from '../attempt/finish-jobs.ts';
import { LiveAttempt } from '../attempt/live-attempt.ts';
import type { PreparedAttempt } from '../attempt/prepare-attempts.ts';
import type { AuditedStore } from '../audit/audited-store.ts';
import type { Executor } from '../executor/executor.ts';
import type { StopRequest } from '../job/stop-requests.ts';
import type { Clock, Milliseconds } from '../loop/clock.ts';
import type { Ticker } from '../loop/loop.ts';
import { trustedActor } from '../resource/actor.ts';
import type { Vault } from '../secret/vault.ts';
import type { Digests } from '../user/digests.ts';
import { LeaseEpoch, type LeaseTimes } from './lease-epoch.ts';

export interface WorkerOptions {
  readonly store: AuditedStore;
  readonly clock: Clock;
  readonly vault: Pick<Vault, 'fingerprints'>;
  readonly digests: Pick<Digests, 'random'>;
  /** The executors whose attempts this process starts. */
  readonly executors: ReadonlyMap<string, Executor>;
  readonly host: string;
  readonly pid: number;
  /** How many jobs run at once; 0 = this process runs none. */
  readonly capacity: number;
  readonly times: LeaseTimes;
  /** Lets the runner tick soon. */
  wake(): void;
  /** Called with the jobs that were abandoned because the lease ran out. */
  onLeaseLost?(jobIds: readonly number[]): void;
}

const maxDebounce: Milliseconds = 10;

/**
 * The worker of this process: its identity, the epoch of its lease, and the attempts that run under it. It starts, stops,
 * abandons and drains attempts; the runner decides which jobs to run.
 */
export class Worker {
  readonly #options: WorkerOptions;
  #epoch: LeaseEpoch;
  /** Attempts of earlier epochs that still run; their results are not recorded. */
  readonly #abandoned = new Set<LiveAttempt>();
  #state: 'claiming' | 'draining' | 'drained' = 'claiming';
  #whenIdle: (() => void)[] = [];

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#epoch = this.#newEpoch();
  }

  get epoch(): LeaseEpoch {
    return this.#epoch;
  }

  /** The name of the epoch, which its jobs store as their worker. */
  get name(): string {
    return this.#epoch.name;
  }

  /** Ids of the jobs that run under its lease. */
  get running(): number[] {
    return [...this.#epoch.attempts.keys()];
  }

  /** Names of its executors. */
  get executors(): string[] {
    return [...this.#options.executors.keys()];
  }

  /**
   * Whether the worker may claim and run jobs. It waits until the attempts of earlier epochs have ended: its keep-alive
   * would keep those alive as well.
   */
  get isReady(): boolean {
    return this.#options.capacity > 0 && this.#state !== 'drained' && this.#abandoned.size === 0;
  }

  get isClaiming(): boolean {
    return this.#state === 'claiming';
  }

  /** How many more jobs may run. */
  get free(): number {
    return this.isClaiming ? this.#options.capacity - this.#epoch.attempts.size : 0;
  }

  /**
   * How long the runner waits for further results before it writes one: a millisecond for each attempt that still runs, up
   * to the maximum. A batch with ten results costs little more than one with a single result.
   */
  get debounce(): Milliseconds {
    let running = 0;
    for (const { result } of this.#epoch.attempts.values()) if (!result && ++running === maxDebounce) break;
    return running;
  }

  /** Starts attempts under the current lease, or fails those that cannot start. @returns whether some have ended already. */
  start(prepared: readonly PreparedAttempt[]): boolean {
    const attempts = prepared.map((attempt) => this.#start(attempt));
    this.#resolveIdle();
    return attempts.some((attempt) => attempt.result);
  }

  #start(prepared: PreparedAttempt): LiveAttempt {
    const { clock, executors, wake } = this.#options;
    const attempt = new LiveAttempt(prepared);
    this.#epoch.attempts.set(attempt.jobId, attempt);
    if (prepared.refusal !== null) attempt.fail(prepared.refusal, clock);
    else attempt.start(executors.get(prepared.claim.job.executor) as Executor, clock, wake);
    return attempt;
  }

  stop(requests: readonly StopRequest[]): void {
    for (const { id, stop_reason } of requests)
      this.#epoch.attempts.get(id)?.requestStop({ state: 'cancelled', reason: stop_reason as string });
  }

  /** Removes attempts whose result is stored. */
  forget(attempts: readonly LiveAttempt[]): void {
    for (const { jobId } of attempts) this.#epoch.attempts.delete(jobId);
  }

  /** Tells the executors how long the lease lets their attempts run. */
  keepAlive(): void {
    const remaining = this.#epoch.untilAbandoning;
    for (const executor of this.#options.executors.values()) executor.keepAlive?.(remaining);
  }

  /** Abandons all attempts and begins a new epoch, because the lease has run out or is about to. */
  abandonAttempts(): void {
    const attempts = [...this.#epoch.attempts.values()];
    this.#epoch = this.#newEpoch();
    for (const attempt of attempts) {
      attempt.abandon('the worker’s lease ran out');
      if (attempt.result || !attempt.handle) continue;
      this.#abandoned.add(attempt);
      void attempt.handle.done.then(() => {
        this.#abandoned.delete(attempt);
        this.#options.wake();
      });
    }
    this.#options.onLeaseLost?.(attempts.map(({ jobId }) => jobId));
    this.#resolveIdle();
  }

  /** Watches the lease and abandons all attempts before it runs out, also while the store does not answer. */
  get leaseGuard(): Ticker {
    return {
      name: 'lease guard',
      tick: async () => {
        const { attempts, untilAbandoning } = this.#epoch;
        if (untilAbandoning > 0 || attempts.size === 0) return Math.max(untilAbandoning, 100);
        this.abandonAttempts();
        return 0;
      },
    };
  }

  stopClaiming(): void {
    if (this.#state === 'claiming') this.#state = 'draining';
  }

  /** Waits for attempts to end for the grace period, then stops them and records them as lost, and releases the lease. */
  async drain(grace: Milliseconds): Promise<void> {
    this.stopClaiming();
    const { clock, store, wake } = this.#options;
    const idle = this.#idle();
    const timeout = new AbortController();
    await Promise.race([idle, clock.sleep(grace, timeout.signal)]);
    timeout.abort();
    for (const attempt of this.#epoch.attempts.values())
      attempt.requestStop({ state: 'lost', reason: 'the worker was shut down' });
    wake();
    await idle;
    this.#state = 'drained';
    const { name, attempts } = this.#epoch;
    await store.transaction(trustedActor('runner'), async (tables) => {
      await endOrphanedClaims(tables, name, attempts);
      await this.#epoch.release(tables);
    });
  }

  /** Resolves the waits of `#idle` when no attempt is left. */
  #resolveIdle(): void {
    if (this.#epoch.attempts.size === 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  /** Waits until no attempt runs. */
  async #idle(): Promise<void> {
    if (this.#epoch.attempts.size > 0) await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
  }

  #newEpoch(): LeaseEpoch {
    const { host, pid, capacity, vault, digests, times, clock } = this.#options;
    const name = `${host}:${pid}:${digests.random().slice(0, 12)}`;
    return new LeaseEpoch({ name, host, pid, capacity, vault_keys: vault.fingerprints.join() }, times, clock);
  }
}
