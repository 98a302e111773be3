import { claimJobs } from '../attempt/claim-jobs.ts';
import { endOrphanedClaims } from '../attempt/end-orphaned-claims.ts';
import { finishJobs } from '../attempt/finish-jobs.ts';
import { LiveAttempt } from '../attempt/live-attempt.ts';
import { startJobs } from '../attempt/start-jobs.ts';
import type { Executor } from '../executor/executor.ts';
import type { Milliseconds } from '../loop/clock.ts';
import type { Ticker } from '../loop/ticker.ts';
import { trustedActor } from '../resource/actor.ts';
import type { Tables } from '../store/store.ts';
import { gatheringBeside } from './debounce.ts';
import { type StopRequest, stopRequests, untilNextJob } from './next-work.ts';
import { type Batch, takeBatch, writeBatch } from './runner-batch.ts';
import type { Prepared, RunnerOptions } from './runner-options.ts';
import { WorkerLease } from './worker-lease.ts';

/** How often a worker looks whether somebody wants one of its jobs stopped. */
const stopPoll: Milliseconds = 500;
const claimsPerBeat = 500;

/** One life of a worker: its lease, and the attempts that run under it. */
interface LeaseEpoch {
  readonly lease: WorkerLease;
  readonly live: Map<number, LiveAttempt>;
}

interface Done {
  readonly prepared: readonly Prepared[];
  readonly stops: readonly StopRequest[];
}

/**
 * Runs due jobs: claims them, starts them through their executors, writes what they say and how they end. One
 * transaction a tick does all of it, so the more is going on, the more is written at once.
 */
export class Runner implements Ticker {
  readonly name = 'runner';
  readonly #options: RunnerOptions;
  readonly #executors: readonly string[];
  readonly #actor = trustedActor('runner');
  #life: LeaseEpoch;
  /** Attempts of an earlier life that have not ended yet; nobody waits for how they end. */
  readonly #abandoned = new Set<LiveAttempt>();
  #beating: Promise<unknown> = Promise.resolve();
  #draining = false;
  #retired = false;
  /** A transaction failed, so it is not sure which claims were committed. */
  #doubt = false;
  #stopsSeenAt: Milliseconds = Number.NEGATIVE_INFINITY;
  #idle: (() => void)[] = [];

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.#executors = [...options.executors.keys()];
    this.#life = this.#newLife();
  }

  /** Ids of the jobs that this worker runs. */
  get running(): number[] {
    return [...this.#life.live.keys()];
  }

  get worker(): string {
    return this.#life.lease.name;
  }

  /** Lets the next tick look at once whether somebody wants a job stopped. */
  lookForStops(): void {
    this.#stopsSeenAt = Number.NEGATIVE_INFINITY;
  }

  get gathering(): Milliseconds {
    return gatheringBeside(this.#life.live.values());
  }

  async tick(): Promise<Milliseconds> {
    // A new life keeps its attempts alive, and would keep those of the last one alive as well: it begins after them.
    if (this.#options.capacity === 0 || this.#retired || this.#abandoned.size > 0) return this.#options.poll;
    const beating = this.#beat(this.#life);
    this.#beating = beating.catch(() => undefined);
    return beating;
  }

  /** Watches over the lease: gives all jobs up before it runs out, also while the store does not answer. */
  get guard(): Ticker {
    return {
      name: 'lease guard',
      tick: async () => {
        const { lease, live } = this.#life;
        const left = lease.untilAbandoning;
        if (left > 0 || live.size === 0) return Math.max(left, 100);
        return this.#giveUp();
      },
    };
  }

  /** Takes no further jobs, waits that long for the running ones, then stops them and records them as lost. */
  async drain(grace: Milliseconds): Promise<void> {
    this.#draining = true;
    // A tick that has begun already may still take some.
    await this.#beating;
    const drained = this.#drained();
    const over = new AbortController();
    await Promise.race([drained, this.#options.clock.sleep(grace, over.signal)]);
    over.abort();
    for (const attempt of this.#life.live.values())
      attempt.requestStop({ state: 'lost', reason: 'the worker was shut down' });
    this.#options.wake();
    await drained;
    this.#retired = true;
    const { lease, live } = this.#life;
    await this.#options.store.transaction(this.#actor, async (tables) => {
      await endOrphanedClaims(tables, lease.name, live);
      await lease.release(tables);
    });
  }

  #newLife(): LeaseEpoch {
    const { identify, times, clock } = this.#options;
    return { lease: new WorkerLease(identify(), times, clock), live: new Map() };
  }

  async #drained(): Promise<void> {
    if (this.#life.live.size > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  async #beat(life: LeaseEpoch): Promise<Milliseconds> {
    const wait = await this.#untilWork(life);
    if (wait > 0) return wait;
    const round = takeBatch([...life.live.values()]);
    try {
      const done = await this.#options.store.transaction(this.#actor, (tables) => this.#work(tables, life, round));
      // Given up while the store was at work: what was claimed under the old lease is lost with the rest.
      if (life !== this.#life) return 0;
      return done === 'lost' ? this.#giveUp() : this.#settle(life, round, done);
    } catch (error) {
      this.#doubt = true;
      throw error;
    }
  }

  /** How long until there is something to do; one short look into the store, which writes nothing. */
  async #untilWork({ lease, live }: LeaseEpoch): Promise<Milliseconds> {
    const { clock, store, poll } = this.#options;
    const attempts = [...live.values()];
    if (this.#doubt || lease.untilRenewal <= 0 || attempts.some((attempt) => attempt.outcome)) return 0;
    const output = Math.min(...attempts.map((attempt) => attempt.output.untilDue(clock.now())));
    if (output <= 0) return 0;
    const now = clock.elapsed();
    const lookForStops = attempts.length > 0 && now - this.#stopsSeenAt >= stopPoll;
    const stored = await store.read(async (tables) => {
      if (lookForStops && (await stopRequests(tables, lease.name)).length > 0) return 0;
      return this.#free > 0 ? untilNextJob(tables, this.#executors) : Infinity;
    });
    if (stored <= 0) return 0;
    if (lookForStops) this.#stopsSeenAt = now;
    const stops = attempts.length > 0 ? this.#stopsSeenAt + stopPoll - now : Infinity;
    return Math.max(1, Math.min(stored, output, stops, lease.untilRenewal, poll));
  }

  /** Whether its jobs were given up, or must be. */
  #isOver({ lease, live }: LeaseEpoch): boolean {
    return live !== this.#life.live || (live.size > 0 && lease.untilAbandoning <= 0);
  }

  get #free(): number {
    return this.#draining ? 0 : this.#options.capacity - this.#life.live.size;
  }

  /**
   * Every round renews the lease first, which also locks it: nothing is claimed under a lease that has run out, nor
   * while others bury this worker, however long the transaction takes.
   */
  async #work(tables: Tables, life: LeaseEpoch, round: Batch): Promise<Done | 'lost'> {
    const { lease, live } = life;
    // A store that hung may have begun this long after it was asked to; what ended since then was cut off.
    if (this.#isOver(life) || !(await lease.renew(tables))) return 'lost';
    await writeBatch(tables, round);
    await this.#finish(tables, lease, round.ended);
    if (this.#doubt) await endOrphanedClaims(tables, lease.name, live);
    const most = this.#draining || this.#isOver(life) ? 0 : Math.min(this.#free + round.ended.length, claimsPerBeat);
    const [stops, claims] = await Promise.all([
      live.size > 0 ? stopRequests(tables, lease.name) : [],
      most > 0 ? claimJobs(tables, { executors: this.#executors, most }) : [],
    ]);
    const prepared = claims.length > 0 ? await this.#options.prepare(tables, claims) : [];
    const claimed = prepared.map(({ claim, shown }) => ({ ...claim, shown }));
    await startJobs(tables, lease.name, claimed);
    return { prepared, stops };
  }

  async #finish(tables: Tables, lease: WorkerLease, attempts: readonly LiveAttempt[]): Promise<void> {
    if (attempts.length === 0) return;
    const now = await tables.now();
    const ends = attempts.map((attempt) => attempt.end(lease.name, now, this.#options.clock));
    const refused = new Set(await finishJobs(tables, ends));
    for (const { prepared, outcome } of attempts) {
      if (outcome && outcome.files.length > 0 && !refused.has(prepared.job.id))
        await this.#options.storeArtifacts(tables, prepared.job.id, outcome.files);
    }
  }

  /** What follows from a committed round, in this process. */
  #settle(life: LeaseEpoch, round: Batch, { prepared, stops }: Done): Milliseconds {
    const { lease, live } = life;
    this.#doubt = false;
    for (const { attempt, peek } of round.output) attempt.output.written(peek);
    for (const attempt of round.pids) attempt.pidWritten = true;
    for (const attempt of round.ended) live.delete(attempt.prepared.job.id);
    for (const { id, stop_reason } of stops)
      live.get(id)?.requestStop({ state: 'cancelled', reason: stop_reason as string });
    const left = lease.untilAbandoning;
    // The commit took so long that what was claimed may be another worker's by the time it runs.
    if (left <= 0) return this.#giveUp();
    for (const executor of this.#options.executors.values()) executor.keepAlive?.(left);
    const started = prepared.map((each) => this.#start(life, each));
    this.#noteIdle();
    return prepared.length === claimsPerBeat || started.some((attempt) => attempt.outcome) ? 0 : 1;
  }

  #start({ live }: LeaseEpoch, prepared: Prepared): LiveAttempt {
    const { clock, executors, wake } = this.#options;
    const attempt = new LiveAttempt(prepared);
    live.set(prepared.job.id, attempt);
    if (prepared.refusal !== null) attempt.refuse(prepared.refusal, clock);
    else attempt.start(executors.get(prepared.job.executor) as Executor, clock, wake);
    return attempt;
  }

  #giveUp(): Milliseconds {
    const given = [...this.#life.live.values()];
    this.#life = this.#newLife();
    for (const attempt of given) {
      attempt.abandon('the worker’s lease ran out');
      if (attempt.outcome || !attempt.running) continue;
      this.#abandoned.add(attempt);
      void attempt.running.done.then(() => {
        this.#abandoned.delete(attempt);
        this.#options.wake();
      });
    }
    this.#options.onLeaseLost?.(given.map((attempt) => attempt.prepared.job.id));
    this.#noteIdle();
    return 0;
  }

  #noteIdle(): void {
    if (this.#life.live.size === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }
}
