import type { AuditedStore } from '../audit/audited-store.ts';
import { readContent } from '../job/artifact.ts';
import { stopRequests } from '../job/stop-requests.ts';
import type { Clock, Instant, Milliseconds } from '../loop/clock.ts';
import { stalledWait, type Ticker } from '../loop/loop.ts';
import type { UsageOwner } from '../quota/daily-usage.ts';
import { trustedActor } from '../resource/actor.ts';
import type { Tables } from '../store/store.ts';
import { Batch } from './batch.ts';
import { type ClaimedJobs, claimJobs } from './claim-jobs.ts';
import { nextQueued, type WorkerSlots } from './due-jobs.ts';
import { endOrphanedClaims } from './finish/finish-jobs.ts';
import type { LeaseEpoch } from './lease/lease-epoch.ts';
import { markRunning } from './mark-running.ts';
import type { Claim } from './overlap.ts';
import { type PreparationContext, type PreparedAttempt, prepareAttempts } from './prepare-attempts.ts';
import { cancelReservation, claimReserved, type Reservation, reserve } from './reservation.ts';
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
  readonly claimed: Pick<ClaimedJobs, 'last' | 'next' | 'hasMore'>;
  readonly reserved: Reservation | null;
  readonly now: Instant;
}

/**
 * Runs due jobs: poll, claim, prepare, commit, start. A transaction renews the lease, writes the output and the results of
 * attempts, claims due jobs, prepares them and marks them running, so that it writes more at once the busier the worker is.
 * After its commit the runner forgets the attempts that have ended and starts those that are prepared. While a worker may
 * have been ended by a job, each job is reserved first: see `Reservation`.
 */
export class Runner implements Ticker {
  readonly name = 'runner';
  readonly worker: Worker;
  readonly #options: RunnerOptions;
  #ticking: Promise<unknown> = Promise.resolve();
  /** Whether a transaction failed, so that it is unknown whether its claims are committed. */
  #commitUncertain = false;
  /** Monotonic times of the next looks at the stop requests and at the queue. */
  #stopsDueAt: Milliseconds = 0;
  #queueDueAt: Milliseconds = Number.NEGATIVE_INFINITY;
  /** Monotonic time until which it waits because other transactions lock what its results are for. */
  #stalledUntil: Milliseconds = Number.NEGATIVE_INFINITY;
  /** Whether the next look at the queue claims at once. */
  #isExpecting = true;
  /** Whether another worker was silent at the latest renewal. */
  #hasSilent = false;
  #reserved: Reservation | null = null;
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

  /** Lets the next tick read the stop requests. */
  lookForStops(): void {
    this.#stopsDueAt = Number.NEGATIVE_INFINITY;
  }

  /** Tells that jobs were committed that may be due, so that the next tick claims without a look whether there are any. */
  expectJobs(): void {
    this.#isExpecting = true;
  }

  /** Lets the next tick look for due jobs. */
  lookForJobs(): void {
    this.#queueDueAt = Number.NEGATIVE_INFINITY;
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
    const reserved = this.#reserved;
    await this.#options.store.transaction(actor, async (tables) => {
      if (reserved) await cancelReservation(tables, reserved);
      await worker.release(tables);
    });
  }

  async #tick(epoch: LeaseEpoch): Promise<Milliseconds> {
    // A worker that died before its first commit would leave no trace, and the job that ended it would end the next one.
    if (!epoch.isRegistered) await this.#work(epoch);
    await this.#look(epoch);
    if (epoch === this.worker.epoch && this.#hasWork(epoch)) await this.#work(epoch);
    return this.#wait(this.worker.epoch);
  }

  /** Reads the stop requests and the queue if it is time, so that a worker without work writes nothing. */
  async #look(epoch: LeaseEpoch): Promise<void> {
    const now = this.#options.clock.elapsed();
    const stops = epoch.attempts.size > 0 && this.#stopsDueAt <= now;
    const queue = this.worker.freeSlots() > 0 && !this.#isExpecting && this.#queueDueAt <= now;
    if (!stops && !queue) return;
    // Set before the read, so that what is committed during the read makes the runner look again.
    if (stops) this.#stopsDueAt = now + stopPoll;
    if (queue) this.#queueDueAt = now + this.#options.poll;
    const { requests, until } = await this.#options.store.read(async (tables) => {
      const [requests, next, time] = await Promise.all([
        stops ? stopRequests(tables, epoch.name) : [],
        queue ? nextQueued(tables, this.worker.executors) : Infinity,
        tables.now(),
      ]);
      return { requests, until: next - time };
    });
    for (const { id, stop_reason } of requests)
      epoch.attempts.get(id)?.requestStop({ state: 'cancelled', reason: stop_reason as string });
    if (until <= 0) this.#isExpecting = true;
    else if (queue) this.#queueDueAt = Math.min(this.#queueDueAt, now + until);
  }

  #hasWork(epoch: LeaseEpoch): boolean {
    const isClaiming = this.#isExpecting && this.worker.freeSlots() > 0;
    return isClaiming || this.#reserved !== null || this.#commitUncertain || this.#untilWrite(epoch) <= 0;
  }

  /** Returns the time until the next tick, by what is known without the store. */
  #wait(epoch: LeaseEpoch): Milliseconds {
    if (this.#hasWork(epoch)) return 0;
    const now = this.#options.clock.elapsed();
    const untilStops = epoch.attempts.size > 0 ? this.#stopsDueAt - now : Infinity;
    const untilQueue = this.worker.freeSlots() > 0 ? this.#queueDueAt - now : Infinity;
    return Math.max(0, Math.min(untilStops, untilQueue, this.#untilWrite(epoch), this.#options.poll));
  }

  /** Returns the time until the lease, output or results of attempts must be written. */
  #untilWrite({ attempts, untilRenewal }: LeaseEpoch): Milliseconds {
    const now = this.#options.clock.now();
    let until = untilRenewal;
    for (const attempt of attempts.values()) until = Math.min(until, attempt.untilWrite(now));
    return Math.max(until, this.#stalledUntil - this.#options.clock.elapsed());
  }

  async #work(epoch: LeaseEpoch): Promise<void> {
    const { worker } = this;
    const batch = new Batch(epoch);
    // Jobs that are committed during the transaction make the runner claim again, and others may wait for a reserved one.
    this.#isExpecting = this.#reserved !== null || !epoch.isRegistered;
    const committed = await this.#commit(epoch, batch);
    // The attempts were abandoned during the transaction: jobs that it started under the old lease are lost with the others.
    if (epoch !== worker.epoch) return;
    if (committed) this.#settle(batch, committed);
    // The commit may have taken so long that another worker has the jobs before they would start.
    if (!committed || epoch.untilAbandoning <= 0) worker.abandonAttempts();
    else worker.start(committed.prepared);
  }

  /** @returns null when the lease is lost. */
  async #commit(epoch: LeaseEpoch, batch: Batch): Promise<Committed | null> {
    try {
      return await this.#options.store.transaction(actor, (tables) => this.#transact(tables, epoch, batch));
    } catch (error) {
      this.#commitUncertain = true;
      this.#isExpecting = true;
      this.#reserved = null;
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
    const isRenewal = epoch.untilRenewal <= 0;
    if (this.#isOver(epoch) || !(await this.#renew(tables, epoch))) return null;
    await batch.write(tables);
    if (this.#commitUncertain) await endOrphanedClaims(tables, epoch.name, epoch.attempts);
    const { claims, ...claimed } = await this.#claim(tables, epoch, batch);
    const now = await tables.now();
    const isSuspect = ({ job }: Claim) => this.#reserved === null && (this.#isCareful || job.claims > 0);
    const [suspect] = claims.filter(isSuspect);
    const reserved = suspect ? await reserve(tables, suspect, now + epoch.duration) : null;
    const innocent = claims.filter((claim) => !isSuspect(claim));
    const prepared = await prepareAttempts(tables, innocent, this.#options);
    // A store that hung may have used the lease up. The jobs stay in the queue, because jobs of a lease that has run out
    // would be lost without having started.
    const startable = this.#canStart(epoch) ? prepared : [];
    await markRunning(tables, epoch.name, startable);
    await this.#syncQuota(tables, epoch, startable, isRenewal);
    return { prepared: startable, claimed, reserved, now };
  }

  /** @returns whether the lease is still this worker's. */
  async #renew(tables: Tables, epoch: LeaseEpoch): Promise<boolean> {
    if (epoch.untilRenewal <= 0) this.#hasSilent = await epoch.hasSilentOther(tables);
    return epoch.renew(tables);
  }

  /**
   * Writes what was counted of output and files, and reads what other hosts have stored: for companies whose jobs start and
   * for which that is not known yet, and with each renewal for all attempts.
   */
  async #syncQuota(
    tables: Tables,
    { attempts }: LeaseEpoch,
    startable: readonly PreparedAttempt[],
    isRenewal: boolean,
  ): Promise<void> {
    const { quota } = this.worker;
    const ownerOf = ({ claim }: PreparedAttempt): UsageOwner => `company ${claim.job.company_id}`;
    const running = isRenewal ? Array.from(attempts.values(), ({ prepared }) => ownerOf(prepared)) : [];
    const unknown = startable.map(ownerOf).filter((owner) => isRenewal || !quota.knows(owner));
    if (running.length + unknown.length > 0 || quota.hasUncounted) await quota.sync(tables, [...running, ...unknown]);
  }

  /** Claims due jobs for the slots that are free once the batch is committed, or the job that is reserved. */
  async #claim(tables: Tables, epoch: LeaseEpoch, batch: Batch): Promise<ClaimedJobs> {
    const nothing = { claims: [], last: this.#lastServed, next: Infinity, hasMore: false };
    if (this.#reserved) {
      if (this.worker.isClaiming)
        return { ...nothing, claims: await claimReserved(tables, this.#reserved), hasMore: true };
      await cancelReservation(tables, this.#reserved);
    }
    const max = Math.min(this.worker.freeSlots(batch.finished.length), maxClaims);
    if (max <= 0 || !epoch.isRegistered || !this.#canStart(epoch)) return nothing;
    const { executors } = this.worker;
    return claimJobs(tables, { executors, slots: this.#slots(epoch, batch), max, last: this.#lastServed });
  }

  /** Counts the slots that each company holds once the batch is committed. */
  #slots({ attempts }: LeaseEpoch, batch: Batch): WorkerSlots {
    const ended = new Set(batch.finished);
    const used = new Map<number, number>();
    for (const attempt of attempts.values()) {
      if (ended.has(attempt)) continue;
      const { company_id } = attempt.prepared.claim.job;
      used.set(company_id, (used.get(company_id) ?? 0) + 1);
    }
    return { capacity: this.worker.capacity, used };
  }

  /** Forgets the attempts whose results are stored, and plans the next look at the queue. */
  #settle(batch: Batch, { prepared, claimed, reserved, now }: Committed): void {
    this.#commitUncertain = false;
    batch.committed();
    this.worker.forget(batch.finished);
    this.#reserved = reserved;
    this.#lastServed = claimed.last;
    // A request that is committed from now on makes the runner look at once, or is found by the next poll.
    if (prepared.length > 0 && this.worker.running.length === 0 && this.#stopsDueAt > Number.NEGATIVE_INFINITY)
      this.#stopsDueAt = this.#options.clock.elapsed() + stopPoll;
    const elapsed = this.#options.clock.elapsed();
    if (batch.isPartial) this.#stalledUntil = elapsed + stalledWait;
    this.#queueDueAt = elapsed + (claimed.hasMore ? stalledWait : Math.min(claimed.next - now, this.#options.poll));
  }

  /** Whether a job may have ended a worker, or made the latest transaction of this one fail. */
  get #isCareful(): boolean {
    return this.#hasSilent || this.#commitUncertain;
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
