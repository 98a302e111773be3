import { claimJobs, untilNextJob } from '../attempt/claim-jobs.ts';
import { endOrphanedClaims } from '../attempt/finish-jobs.ts';
import { markRunning } from '../attempt/mark-running.ts';
import { type PreparationContext, type PreparedAttempt, prepareAttempts } from '../attempt/prepare-attempts.ts';
import type { AuditedStore } from '../audit/audited-store.ts';
import { type StopRequest, stopRequests } from '../job/stop-requests.ts';
import type { Clock, Milliseconds } from '../loop/clock.ts';
import type { Ticker } from '../loop/loop.ts';
import { trustedActor } from '../resource/actor.ts';
import type { Tables } from '../store/store.ts';
import { Batch } from './batch.ts';
import type { LeaseEpoch } from './lease-epoch.ts';
import type { Worker } from './worker.ts';

export interface RunnerOptions extends PreparationContext {
  readonly store: AuditedStore;
  readonly clock: Clock;
  readonly worker: Worker;
  /** The longest wait between two looks at the store: other hosts may have created jobs. */
  readonly poll: Milliseconds;
}

/** How often a worker reads the requests to stop its jobs. */
const stopPoll: Milliseconds = 500;
const maxClaims = 500;

interface TickResult {
  readonly prepared: readonly PreparedAttempt[];
  readonly stops: readonly StopRequest[];
}

/**
 * Runs due jobs. The one transaction of a tick renews the lease, writes the output and the results of attempts, and
 * claims and prepares the next jobs, so that it writes more at once the busier the worker is. The processes of the claimed
 * jobs start after its commit.
 */
export class Runner implements Ticker {
  readonly name = 'runner';
  readonly worker: Worker;
  readonly #options: RunnerOptions;
  readonly #actor = trustedActor('runner');
  #ticking: Promise<unknown> = Promise.resolve();
  /** Whether a transaction failed, so that it is unknown whether its claims are committed. */
  #commitUncertain = false;
  #stopsCheckedAt: Milliseconds = Number.NEGATIVE_INFINITY;

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.worker = options.worker;
  }

  get debounce(): Milliseconds {
    return this.worker.debounce;
  }

  async tick(): Promise<Milliseconds> {
    if (!this.worker.isReady) return this.#options.poll;
    const ticking = this.#tick(this.worker.epoch);
    this.#ticking = ticking.catch(() => undefined);
    return ticking;
  }

  /** Lets the next tick read the stop requests without waiting for the poll interval. */
  lookForStops(): void {
    this.#stopsCheckedAt = Number.NEGATIVE_INFINITY;
  }

  /** Claims no further jobs, waits for the running ones for the grace period, then stops them and records them as lost. */
  async drain(grace: Milliseconds): Promise<void> {
    this.worker.stopClaiming();
    // A tick in flight may still claim jobs.
    await this.#ticking;
    await this.worker.drain(grace);
  }

  async #tick(epoch: LeaseEpoch): Promise<Milliseconds> {
    const { store } = this.#options;
    const wait = await this.#untilWork(epoch);
    if (wait > 0) return wait;
    const batch = new Batch([...epoch.attempts.values()]);
    try {
      const claimed = await store.transaction(this.#actor, (tables) => this.#work(tables, epoch, batch));
      // The attempts were abandoned during the transaction: jobs claimed under the old lease are lost with the others.
      if (epoch !== this.worker.epoch) return 0;
      if (claimed) return this.#committed(epoch, batch, claimed);
      this.worker.abandonAttempts();
      return 0;
    } catch (error) {
      this.#commitUncertain = true;
      throw error;
    }
  }

  /** Returns the time until the tick has work, by one short read. */
  async #untilWork(epoch: LeaseEpoch): Promise<Milliseconds> {
    const { clock, store, poll } = this.#options;
    const attempts = [...epoch.attempts.values()];
    if (this.#commitUncertain || epoch.untilRenewal <= 0 || attempts.some((attempt) => attempt.result)) return 0;
    const outputWait = Math.min(...attempts.map((attempt) => attempt.output.untilDue(clock.now())));
    if (outputWait <= 0) return 0;
    const now = clock.elapsed();
    const readsStops = attempts.length > 0 && now - this.#stopsCheckedAt >= stopPoll;
    const storeWait = await store.read(async (tables) => {
      if (readsStops && (await stopRequests(tables, epoch.name)).length > 0) return 0;
      return this.worker.free > 0 ? untilNextJob(tables, this.worker.executors) : Infinity;
    });
    if (storeWait <= 0) return 0;
    if (readsStops) this.#stopsCheckedAt = now;
    const stopsWait = attempts.length > 0 ? this.#stopsCheckedAt + stopPoll - now : Infinity;
    return Math.max(1, Math.min(storeWait, outputWait, stopsWait, epoch.untilRenewal, poll));
  }

  /**
   * The transaction of a tick. It renews the lease first, which also locks it: no job is claimed under a lease that has
   * run out, nor while a reaper expires this worker, however long the transaction takes.
   * @returns null when the lease is lost.
   */
  async #work(tables: Tables, epoch: LeaseEpoch, batch: Batch): Promise<TickResult | null> {
    const { clock } = this.#options;
    // A store that hung may begin the transaction late; the attempts may have been abandoned since then.
    if (this.#isOver(epoch) || !(await epoch.renew(tables))) return null;
    await batch.write(tables, epoch.name, clock);
    if (this.#commitUncertain) await endOrphanedClaims(tables, epoch.name, epoch.attempts);
    const [stops, prepared] = await Promise.all([
      epoch.attempts.size > 0 ? stopRequests(tables, epoch.name) : [],
      this.#claim(tables, epoch, batch.ended.length),
    ]);
    await markRunning(tables, epoch.name, prepared);
    return { prepared, stops };
  }

  /** @param ended how many slots this transaction frees. */
  async #claim(tables: Tables, epoch: LeaseEpoch, ended: number): Promise<readonly PreparedAttempt[]> {
    const { executors, free, isClaiming } = this.worker;
    const max = isClaiming && this.#canStart(epoch) ? Math.min(free + ended, maxClaims) : 0;
    if (max === 0) return [];
    const prepared = await prepareAttempts(tables, await claimJobs(tables, { executors, max }), this.#options);
    // A store that hung may have used the lease up. The jobs stay scheduled, because those of a lease that has run out
    // would be lost without having started.
    return this.#canStart(epoch) ? prepared : [];
  }

  /** Starts the claimed attempts in this process, after the commit. */
  #committed(epoch: LeaseEpoch, batch: Batch, { prepared, stops }: TickResult): Milliseconds {
    const { worker } = this;
    this.#commitUncertain = false;
    batch.committed();
    worker.forget(batch.ended);
    worker.stop(stops);
    // The commit took so long that another worker may have the claimed jobs before they would start.
    if (epoch.untilAbandoning <= 0) {
      worker.abandonAttempts();
      return 0;
    }
    worker.keepAlive();
    const hasEnded = worker.start(prepared);
    return prepared.length === maxClaims || hasEnded ? 0 : 1;
  }

  /** Whether attempts that are claimed now may start after the commit. */
  #canStart(epoch: LeaseEpoch): boolean {
    return !this.#isOver(epoch) && epoch.canStart;
  }

  /** Whether the attempts of the epoch were abandoned or must be. */
  #isOver(epoch: LeaseEpoch): boolean {
    return epoch !== this.worker.epoch || epoch.isOver;
  }
}
