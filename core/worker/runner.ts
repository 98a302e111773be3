import { type ClaimedJobs, type ClaimOptions, claimJobs } from '../attempt/claim-jobs.ts';
import { type CountedClaim, returnClaims, takeClaims } from '../attempt/counted-claims.ts';
import { endOrphanedClaims } from '../attempt/finish-jobs.ts';
import { markRunning } from '../attempt/mark-running.ts';
import { type PreparationContext, type PreparedAttempt, prepareAttempts } from '../attempt/prepare-attempts.ts';
import type { AuditedStore } from '../audit/audited-store.ts';
import { readContent } from '../job/artifact.ts';
import { type StopRequest, stopRequests } from '../job/stop-requests.ts';
import type { Clock, Milliseconds } from '../loop/clock.ts';
import { stalledWait, type Ticker } from '../loop/loop.ts';
import { type Slots, untilNextJob } from '../queue/due-jobs.ts';
import { trustedActor } from '../resource/actor.ts';
import type { Tables } from '../store/store.ts';
import { Batch } from './batch.ts';
import type { LeaseEpoch } from './lease-epoch.ts';
import type { Worker } from './worker.ts';

export interface RunnerOptions extends PreparationContext {
  readonly store: AuditedStore;
  readonly clock: Clock;
  readonly worker: Worker;
  /** The maximum time between two polls of the store: other hosts may have created jobs. */
  readonly poll: Milliseconds;
}

const actor = trustedActor('runner');

/** How often a worker reads the requests to stop its jobs. */
const stopPoll: Milliseconds = 500;
const maxClaims = 500;
const maxDebounce: Milliseconds = 10;

/** What a transaction leaves to do after its commit. */
interface Committed {
  /** The attempts to start. */
  readonly prepared: readonly PreparedAttempt[];
  /** The claims to prepare in the next transaction. */
  readonly counted: readonly CountedClaim[];
  /** The company that was last served. */
  readonly last: number;
  /** Whether the transaction claimed jobs, so that the next one can prepare them at once. */
  readonly hasClaimed: boolean;
  /** The attempts to stop. */
  readonly stops: readonly StopRequest[];
  /** Whether it wrote nothing but the lease, although jobs are due. */
  readonly isStalled: boolean;
}

interface PreparedJobs {
  readonly prepared: readonly PreparedAttempt[];
  /** The claims whose jobs are not prepared yet. */
  readonly kept: readonly CountedClaim[];
}

/**
 * Runs due jobs. A transaction renews the lease, writes the output and the results of attempts, prepares the jobs that the
 * one before claimed, and claims the next, so that it writes more at once the busier the worker is. After its commit the
 * runner forgets the attempts that have ended, stops those that it was asked to, and starts those that are prepared. A tick
 * has one transaction, and a second one if the first claimed jobs.
 */
export class Runner implements Ticker {
  readonly name = 'runner';
  readonly worker: Worker;
  readonly #options: RunnerOptions;
  #ticking: Promise<unknown> = Promise.resolve();
  /** Whether a transaction failed, so that it is unknown whether its claims are committed. */
  #commitUncertain = false;
  #stopsCheckedAt: Milliseconds = Number.NEGATIVE_INFINITY;
  #isExpecting = false;
  /** The claims that are counted, while their jobs are not prepared. */
  #counted: readonly CountedClaim[] = [];
  /** What `#counted` becomes if the latest transaction is committed, which is unknown while it has no acknowledgement. */
  #countedNext: readonly CountedClaim[] = [];
  /** The company that was last served. Each worker has its own round, because each has its own slots. */
  #lastServed = 0;

  constructor(options: RunnerOptions) {
    const readFile: PreparationContext['readFile'] = (artifact) => readContent(options.store, artifact);
    this.#options = { ...options, readFile };
    this.worker = options.worker;
  }

  /**
   * How long the runner waits for further results before it writes one: a millisecond for each attempt that still runs, up
   * to the maximum. A batch with ten results costs little more than one with a single result.
   */
  get debounce(): Milliseconds {
    let running = 0;
    for (const { result } of this.worker.epoch.attempts.values()) if (!result && ++running === maxDebounce) break;
    return running;
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

  /** Tells that jobs were committed that may be due, so that the next tick need not look whether there are any. */
  expectJobs(): void {
    this.#isExpecting = true;
  }

  /** Claims no further jobs, waits for the running ones for the grace period, then stops them and records them as lost. */
  async drain(grace: Milliseconds): Promise<void> {
    const { worker } = this;
    worker.stopClaiming();
    // A tick in flight may still claim jobs.
    await this.#ticking;
    await worker.waitUntilIdle(grace);
    worker.stopAll();
    await worker.waitUntilIdle();
    worker.markDrained();
    await this.#options.store.transaction(actor, async (tables) => {
      await returnClaims(tables, this.#counted);
      await worker.release(tables);
    });
  }

  async #tick(epoch: LeaseEpoch): Promise<Milliseconds> {
    const wait = await this.#untilWork(epoch);
    if (wait > 0) return wait;
    const { wait: firstWait, hasClaimed } = await this.#work(epoch);
    return hasClaimed && epoch === this.worker.epoch ? (await this.#work(epoch)).wait : firstWait;
  }

  async #work(epoch: LeaseEpoch): Promise<{ readonly wait: Milliseconds; readonly hasClaimed: boolean }> {
    const { worker } = this;
    const batch = new Batch(epoch);
    const committed = await this.#commit(epoch, batch);
    // The attempts were abandoned during the transaction: jobs that it started under the old lease are lost with the others.
    if (epoch !== worker.epoch) return { wait: 0, hasClaimed: false };
    if (committed) this.#settle(epoch, batch, committed.stops);
    // The commit may have taken so long that another worker has the jobs before they would start.
    if (!committed || epoch.untilAbandoning <= 0) {
      worker.abandonAttempts();
      return { wait: 0, hasClaimed: false };
    }
    const hasEnded = worker.start(committed.prepared);
    const { hasClaimed, isStalled } = committed;
    if (hasEnded || hasClaimed) return { wait: 0, hasClaimed };
    return { wait: isStalled ? stalledWait : 1, hasClaimed };
  }

  /** @returns null when the lease is lost. */
  async #commit(epoch: LeaseEpoch, batch: Batch): Promise<Committed | null> {
    this.#countedNext = this.#counted;
    try {
      const committed = await this.#options.store.transaction(actor, (tables) => this.#transact(tables, epoch, batch));
      if (committed) {
        this.#counted = committed.counted;
        this.#lastServed = committed.last;
      }
      return committed;
    } catch (error) {
      this.#commitUncertain = true;
      const either = [...this.#counted, ...this.#countedNext];
      this.#counted = [...new Map(either.map((claim) => [`${claim.id} ${claim.claims}`, claim])).values()];
      throw error;
    }
  }

  /**
   * It renews the lease first, which also locks it: no job is claimed under a lease that has run out, nor while a reaper
   * expires this worker, however long the transaction takes.
   * @returns null when the lease is lost.
   */
  async #transact(tables: Tables, epoch: LeaseEpoch, batch: Batch): Promise<Committed | null> {
    // A store that hung may begin the transaction late; the attempts may have been abandoned since then.
    if (this.#isOver(epoch) || !(await epoch.renew(tables))) return null;
    await batch.write(tables);
    if (this.#commitUncertain) await endOrphanedClaims(tables, epoch.name, epoch.attempts);
    const [stops, { prepared, kept }] = await Promise.all([
      epoch.attempts.size > 0 ? stopRequests(tables, epoch.name) : [],
      this.#prepare(tables, epoch),
    ]);
    await markRunning(tables, epoch.name, prepared);
    const companies = [...epoch.attempts.values()].map((attempt) => attempt.prepared);
    await this.worker.quota.sync(
      tables,
      [...companies, ...prepared].map(({ claim }) => `company ${claim.job.company_id}` as const),
    );
    const max = this.worker.freeSlots(batch.finished.length) - prepared.length - kept.length;
    const ended = new Set(batch.finished);
    const held = [...epoch.attempts.values()].filter((attempt) => !ended.has(attempt)).map(({ prepared }) => prepared);
    const slots = this.#slots([...held, ...prepared], kept);
    const claimed = await this.#claim(tables, epoch, { slots, max, counted: kept });
    const counted = [...kept, ...claimed.counted];
    this.#countedNext = counted;
    const isStalled =
      batch.isEmpty && prepared.length === 0 && (claimed.isStalled || kept.length > 0 || batch.isPartial);
    return { prepared, counted, last: claimed.last, stops, hasClaimed: claimed.counted.length > 0, isStalled };
  }

  /** Prepares the jobs that were claimed, or gives them back while the worker is shut down. */
  async #prepare(tables: Tables, epoch: LeaseEpoch): Promise<PreparedJobs> {
    if (!this.worker.isClaiming) {
      await returnClaims(tables, this.#counted);
      return { prepared: [], kept: [] };
    }
    const { claims, kept } = await takeClaims(tables, this.#counted);
    const prepared = await prepareAttempts(tables, claims, this.#options);
    // A store that hung may have used the lease up. The jobs stay claimed, because those of a lease that has run out
    // would be lost without having started.
    return this.#canStart(epoch) ? { prepared, kept } : { prepared: [], kept: this.#counted };
  }

  async #claim(
    tables: Tables,
    epoch: LeaseEpoch,
    { slots, max, counted }: Pick<ClaimOptions, 'slots' | 'max' | 'counted'>,
  ): Promise<ClaimedJobs> {
    const last = this.#lastServed;
    if (max <= 0 || !this.#canStart(epoch)) return { counted: [], last, isStalled: false };
    const { executors } = this.worker;
    return claimJobs(tables, { executors, slots, max: Math.min(max, maxClaims), last, lease: epoch.duration, counted });
  }

  /** Counts the slots of each company: those of attempts and of claims that are not prepared yet. */
  #slots(attempts: readonly PreparedAttempt[], counted: readonly CountedClaim[]): Slots {
    const held = new Map<number, number>();
    for (const { company_id } of [...attempts.map(({ claim }) => claim.job), ...counted])
      held.set(company_id, (held.get(company_id) ?? 0) + 1);
    return { capacity: this.worker.capacity, held };
  }

  /** Forgets the attempts whose results are stored, and passes the stop requests on. */
  #settle({ attempts }: LeaseEpoch, batch: Batch, stops: readonly StopRequest[]): void {
    this.#commitUncertain = false;
    batch.committed();
    this.worker.forget(batch.finished);
    for (const { id, stop_reason } of stops)
      attempts.get(id)?.requestStop({ state: 'cancelled', reason: stop_reason as string });
  }

  /** Returns the time until the tick has work; 0 = it has some. Reads the store only if its attempts give it none. */
  async #untilWork(epoch: LeaseEpoch): Promise<Milliseconds> {
    const { store, poll } = this.#options;
    const isExpecting = this.#isExpecting && this.worker.freeSlots() > 0;
    this.#isExpecting = false;
    if (isExpecting) return 0;
    const untilWrite = this.#untilWrite(epoch);
    if (this.#commitUncertain || this.#counted.length > 0 || Math.min(untilWrite, epoch.untilRenewal) <= 0) return 0;
    const untilStored = await store.read((tables) => this.#untilStoredWork(tables, epoch));
    if (untilStored <= 0) return 0;
    return Math.max(1, Math.min(untilStored, untilWrite, epoch.untilRenewal, poll));
  }

  /** Returns the time until output or results of attempts must be written. */
  #untilWrite({ attempts }: LeaseEpoch): Milliseconds {
    const now = this.#options.clock.now();
    return Math.min(...Array.from(attempts.values(), (attempt) => attempt.untilWrite(now)));
  }

  /** Returns the time until a job is due or the stop requests must be read. */
  async #untilStoredWork(tables: Tables, epoch: LeaseEpoch): Promise<Milliseconds> {
    const untilStop = await this.#untilStop(tables, epoch);
    return untilStop <= 0 ? 0 : Math.min(untilStop, await this.#untilJob(tables, epoch));
  }

  /** Reads the stop requests, at most once in the poll interval. */
  async #untilStop(tables: Tables, { name, attempts }: LeaseEpoch): Promise<Milliseconds> {
    if (attempts.size === 0) return Infinity;
    const now = this.#options.clock.elapsed();
    const untilPoll = this.#stopsCheckedAt + stopPoll - now;
    if (untilPoll > 0) return untilPoll;
    // Set before the read, so that a `lookForStops` during the read counts.
    this.#stopsCheckedAt = now;
    return (await stopRequests(tables, name)).length > 0 ? 0 : stopPoll;
  }

  async #untilJob(tables: Tables, { attempts }: LeaseEpoch): Promise<Milliseconds> {
    if (this.worker.freeSlots() <= 0) return Infinity;
    const running = Array.from(attempts.values(), ({ prepared }) => prepared);
    return untilNextJob(tables, this.worker.executors, this.#slots(running, this.#counted));
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
