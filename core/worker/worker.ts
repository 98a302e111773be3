import { LiveAttempt } from '../attempt/live-attempt.ts';
import type { PreparedAttempt } from '../attempt/prepare-attempts.ts';
import { endOrphanedClaims } from '../attempt/worker-reaper.ts';
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
  /** Those whose attempts this process starts. */
  readonly executors: ReadonlyMap<string, Executor>;
  readonly host: string;
  readonly pid: number;
  /** How many jobs run at once; 0 = this process runs none. */
  readonly capacity: number;
  readonly times: LeaseTimes;
  /** Asks for a tick of the runner soon. */
  wake(): void;
  /** Called with the jobs that were abandoned because the lease ran out. */
  onLeaseLost?(jobIds: readonly number[]): void;
}

const maxDebounce: Milliseconds = 10;

/**
 * This process as one that runs jobs: its identity, the epoch of its lease, the attempts that run under it, and how it
 * drains. What to run is the runner's part.
 */
export class Worker {
  readonly #options: WorkerOptions;
  #epoch: LeaseEpoch;
  /** Attempts of earlier epochs that have not ended yet; nothing is recorded of how they end. */
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

  /** The name that its jobs carry in this epoch. */
  get name(): string {
    return this.#epoch.name;
  }

  /** Ids of the jobs that run under its lease. */
  get running(): number[] {
    return [...this.#epoch.attempts.keys()];
  }

  /** Names of the executors that it has. */
  get executors(): string[] {
    return [...this.#options.executors.keys()];
  }

  /**
   * Whether it may work at all. A new epoch begins only after the attempts of the last one have ended: its keep-alive
   * would keep them alive as well.
   */
  get isReady(): boolean {
    return this.#options.capacity > 0 && this.#state !== 'drained' && this.#abandoned.size === 0;
  }

  get isClaiming(): boolean {
    return this.#state === 'claiming';
  }

  /** How many more jobs it may run. */
  get free(): number {
    return this.isClaiming ? this.#options.capacity - this.#epoch.attempts.size : 0;
  }

  /**
   * How long to wait for further ends before one is written. A batch costs much the same with one end as with ten, so the
   * more attempts still run, the longer it waits; where none runs, nothing follows.
   */
  get debounce(): Milliseconds {
    let running = 0;
    for (const { result } of this.#epoch.attempts.values()) if (!result && ++running === maxDebounce) break;
    return running;
  }

  /** Starts attempts under the current lease, or refuses them. @returns whether some have ended already. */
  start(prepared: readonly PreparedAttempt[]): boolean {
    const attempts = prepared.map((each) => this.#start(each));
    this.#noteIdle();
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

  /** Forgets attempts whose end is in the store. */
  forget(attempts: readonly LiveAttempt[]): void {
    for (const { jobId } of attempts) this.#epoch.attempts.delete(jobId);
  }

  /** Lets the executors keep their attempts alive as long as the lease allows. */
  keepAlive(): void {
    const left = this.#epoch.untilAbandoning;
    for (const executor of this.#options.executors.values()) executor.keepAlive?.(left);
  }

  /** Abandons all attempts and begins a new epoch: the lease ran out, or is about to. */
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
    this.#noteIdle();
  }

  /** Watches the lease and abandons all attempts before it runs out, also while the store does not answer. */
  get leaseGuard(): Ticker {
    return {
      name: 'lease guard',
      tick: async () => {
        const { attempts, untilAbandoning: left } = this.#epoch;
        if (left > 0 || attempts.size === 0) return Math.max(left, 100);
        this.abandonAttempts();
        return 0;
      },
    };
  }

  stopClaiming(): void {
    if (this.#state === 'claiming') this.#state = 'draining';
  }

  /** Waits that long for its attempts to end, then stops them and records them as lost, and releases the lease. */
  async drain(grace: Milliseconds): Promise<void> {
    this.stopClaiming();
    const { clock, store, wake } = this.#options;
    const idle = this.#idle();
    const over = new AbortController();
    await Promise.race([idle, clock.sleep(grace, over.signal)]);
    over.abort();
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

  /** Lets `drain` go on when no attempt is left. */
  #noteIdle(): void {
    if (this.#epoch.attempts.size === 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  async #idle(): Promise<void> {
    if (this.#epoch.attempts.size > 0) await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
  }

  #newEpoch(): LeaseEpoch {
    const { host, pid, capacity, vault, digests, times, clock } = this.#options;
    const name = `${host}:${pid}:${digests.random().slice(0, 12)}`;
    return new LeaseEpoch({ name, host, pid, capacity, vault_keys: vault.fingerprints.join() }, times, clock);
  }
}
