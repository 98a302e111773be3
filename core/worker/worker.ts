import type { Executor } from '../executor/executor.ts';
import type { Clock, Milliseconds } from '../loop/clock.ts';
import { type SyncTimer, untimed } from '../loop/event-loop-watch.ts';
import { DailyQuota } from '../quota/daily-quota.ts';
import { type DailyLimits, noDailyLimits } from '../quota/daily-usage.ts';
import type { Vault } from '../secret/vault.ts';
import { required } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import type { Digests } from '../user/digests.ts';
import { endOrphanedClaims } from './finish/finish-jobs.ts';
import { LeaseEpoch, type LeaseTimes } from './lease/lease-epoch.ts';
import { LiveAttempt } from './live-attempt.ts';
import type { PreparedAttempt } from './prepare-attempts.ts';

export interface WorkerOptions {
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
  /** @default no limits */
  readonly dailyLimits?: DailyLimits;
  /** Times the starts of attempts. @default not timed */
  readonly timed?: SyncTimer;
  /** Lets the runner tick soon. */
  wake(): void;
  /** Called with the jobs that were abandoned because the lease ran out. */
  onLeaseLost?(jobIds: readonly number[]): void;
}

/**
 * The worker of this process: the epoch of its lease, and the attempts that run under it. It starts, abandons and stops
 * attempts; the runner decides which jobs to run.
 */
export class Worker {
  /** What the companies of its jobs may still store today. */
  readonly quota: DailyQuota;
  readonly #options: WorkerOptions;
  #epoch: LeaseEpoch;
  /** Attempts of earlier epochs that still run; their results are not recorded. */
  readonly #abandoned = new Set<LiveAttempt>();
  #state: 'claiming' | 'draining' | 'drained' = 'claiming';
  /** Resolve the promises of those who wait until no attempt runs. */
  readonly #idleWaits: (() => void)[] = [];

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#epoch = this.#newEpoch();
    this.quota = new DailyQuota(options.dailyLimits ?? noDailyLimits);
  }

  get epoch(): LeaseEpoch {
    return this.#epoch;
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

  /** Whether it may claim further jobs: it is not being shut down. */
  get isClaiming(): boolean {
    return this.#state === 'claiming';
  }

  /** How many jobs run at once. */
  get capacity(): number {
    return this.#options.capacity;
  }

  /** Returns how many more jobs may run once that many attempts are forgotten. */
  freeSlots(ended = 0): number {
    return this.isClaiming ? this.#options.capacity - this.#epoch.attempts.size + ended : 0;
  }

  /**
   * Starts attempts under the renewed lease, or fails those that cannot start. Tells the executors how long the lease lets
   * all of their attempts run.
   */
  start(prepared: readonly PreparedAttempt[]): void {
    if (prepared.length === 0 && this.#epoch.attempts.size === 0) return;
    const remaining = this.#epoch.untilAbandoning;
    for (const executor of this.#options.executors.values()) executor.keepAlive?.(remaining);
    for (const attempt of prepared) this.#start(attempt);
  }

  #start(prepared: PreparedAttempt): void {
    const { clock, executors, wake, timed = untimed } = this.#options;
    const { executor } = prepared.claim.job;
    const attempt = new LiveAttempt(prepared, clock, this.quota);
    this.#epoch.attempts.set(attempt.jobId, attempt);
    const starting = required(executors.get(executor), `executor ${executor}`);
    const hasFiles = (prepared.attempt.files ?? []).length > 0;
    const refusal = hasFiles && !starting.takesFiles ? `the executor ${executor} hands over no files` : null;
    if (prepared.refusal !== null || refusal !== null) attempt.fail(prepared.refusal ?? (refusal as string));
    else timed(`executor ${executor}`, () => attempt.start(starting, wake));
  }

  /** Removes attempts whose result is stored. */
  forget(attempts: readonly LiveAttempt[]): void {
    for (const { jobId } of attempts) this.#epoch.attempts.delete(jobId);
    this.#endIdleWaits();
  }

  /** Abandons all attempts and begins a new epoch, because the lease has run out or is about to. */
  abandonAttempts(): void {
    const attempts = [...this.#epoch.attempts.values()];
    this.#epoch = this.#newEpoch();
    for (const attempt of attempts) {
      const end = attempt.abandon('the worker’s lease ran out');
      if (!end) continue;
      this.#abandoned.add(attempt);
      void end.then(() => {
        this.#abandoned.delete(attempt);
        this.#options.wake();
      });
    }
    this.#options.onLeaseLost?.(attempts.map(({ jobId }) => jobId));
    this.#endIdleWaits();
  }

  stopClaiming(): void {
    if (this.isClaiming) this.#state = 'draining';
  }

  /** Waits until no attempt runs, but no longer than the timeout. */
  async waitUntilIdle(timeout?: Milliseconds): Promise<void> {
    if (this.#epoch.attempts.size === 0) return;
    const idle = new Promise<void>((resolve) => this.#idleWaits.push(resolve));
    if (timeout === undefined) return idle;
    const waking = new AbortController();
    await Promise.race([idle, this.#options.clock.sleep(timeout, waking.signal)]);
    waking.abort();
  }

  /** Asks all attempts to stop; they are recorded as lost. */
  stopAll(): void {
    for (const attempt of this.#epoch.attempts.values())
      attempt.requestStop({ state: 'lost', reason: 'the worker was shut down' });
    this.#options.wake();
  }

  /** Ends the draining: no tick renews the lease any more, so that it can be released. */
  markDrained(): void {
    this.#state = 'drained';
  }

  /** Deletes the lease, so that the worker does not count as lost. */
  async release(tables: Tables): Promise<void> {
    await endOrphanedClaims(tables, this.#epoch.name, this.#epoch.attempts);
    await this.#epoch.release(tables);
  }

  #endIdleWaits(): void {
    if (this.#epoch.attempts.size === 0) for (const resolve of this.#idleWaits.splice(0)) resolve();
  }

  #newEpoch(): LeaseEpoch {
    const { host, pid, capacity, vault, digests, times, clock } = this.#options;
    const name = `${host}:${pid}:${digests.random().slice(0, 12)}`;
    const executors = this.executors.join();
    const identity = { name, host, pid, capacity, executors, vault_keys: vault.fingerprints.join() };
    return new LeaseEpoch(identity, times, clock);
  }
}
