import { HorariumError, Job, type Milliseconds, type Store, trustedActor } from '@horarium/core';
import { AuditedStore } from '#core/audit/audited-store';
import { ExternalJobs } from '#core/external/external-jobs';
import { Heartbeats } from '#core/external/heartbeats';
import { productObservers } from '#core/resources';
import type { VirtualTime } from '../../clocks/virtual-time.ts';
import { externalExecutors } from '../../executors/external-executors.ts';
import { testSigner } from '../../secrets/test-hmac.ts';
import { testPreparation } from './preparation.ts';
import type { Random } from './random.ts';
import type { PhysicalRun, Script } from './simulated-executor.ts';

export interface ExternalWorkersOptions {
  readonly store: Store;
  readonly time: VirtualTime;
  readonly random: Random;
  /** Returns whether a host is there to respond to requests. */
  isServed(): boolean;
  /** Draws the script of an attempt; null = its worker claims the job and never reports. */
  script(): Script | null;
  /** Called when jobs were started or ended. */
  onJobs(): void;
  onError(error: unknown): void;
}

const interval: Milliseconds = 10_000;

/** A claimed job with the script of its attempt and the key of its heartbeats. */
interface ClaimedJob {
  readonly run: PhysicalRun;
  readonly script: Script;
  readonly key: string;
}

/** Programs outside the service that claim and report jobs of the external executor. */
export class ExternalWorkers {
  readonly runs: PhysicalRun[] = [];
  readonly #options: ExternalWorkersOptions;
  readonly #store: AuditedStore;
  readonly #jobs: ExternalJobs;
  readonly #heartbeats: Heartbeats;

  constructor(options: ExternalWorkersOptions) {
    this.#options = options;
    this.#store = new AuditedStore(options.store, testSigner, { observers: productObservers() });
    const preparation = testPreparation();
    this.#heartbeats = new Heartbeats({ ...preparation, store: this.#store });
    this.#jobs = new ExternalJobs({
      ...preparation,
      store: this.#store,
      executors: new Map(externalExecutors()),
      onJobs: options.onJobs,
    });
  }

  /** Starts workers, which look for jobs from now on. */
  start(count: number): void {
    for (let index = 1; index <= count; index++) this.#pollJobs(`external${index}`);
  }

  #pollJobs(name: string): void {
    const { time, random, onError } = this.#options;
    time.in(random.integer(500, 2 * interval), () => {
      this.#pollJobs(name);
      void this.#claimOne(name).catch(onError);
    });
  }

  async #claimOne(name: string): Promise<void> {
    const { time, random, isServed } = this.#options;
    if (!isServed()) return;
    const due = await this.#store.read((tables) =>
      tables.of(Job).find({
        where: [
          ['state', '=', 'scheduled'],
          ['executor', '=', 'external'],
          // One claim in ten tries a job that may not be due yet.
          ['scheduled_at', '<=', time.storeNow + (random.chance(0.1) ? interval : 0)],
        ],
        columns: ['id'],
      }),
    );
    if (due.length === 0) return;
    const { id } = random.pick(due);
    const claimed = await responseOf(this.#jobs.claim(trustedActor(name, 'http'), id));
    if (!claimed) return;
    const worker = { host: `external:${name}`, capacity: Infinity };
    const run: PhysicalRun = { ...worker, jobId: id, from: time.now, to: null };
    this.runs.push(run);
    const script = this.#options.script();
    if (script) this.#continue({ run, script, key: claimed.pingUrl }, time.now + script.duration);
    else run.to = time.now;
  }

  /** Sends heartbeats while the job runs, and then its result until the service accepts or rejects it. */
  #continue(claimedJob: ClaimedJob, until: number): void {
    const { time, onError } = this.#options;
    const wait = Math.min(interval, until - time.now);
    time.in(Math.max(wait, 100), () => void this.#report(claimedJob, until).catch(onError));
  }

  async #report(claimedJob: ClaimedJob, until: number): Promise<void> {
    const { run, script, key } = claimedJob;
    const { time, random, isServed } = this.#options;
    if (!isServed()) {
      this.#continue(claimedJob, Math.max(until, time.now + 1000));
      return;
    }
    const isDone = time.now >= until;
    const { jobId, host } = run;
    const actor = trustedActor(host.slice('external:'.length), 'http');
    const report = { stdout: script.output.join(''), ...(isDone && { exit_code: script.exitCode }) };
    const response =
      isDone || random.chance(0.3)
        ? await responseOf(this.#jobs.report(actor, jobId, report))
        : await responseOf(this.#heartbeats.record(jobId, key, { progress: 50 }).then(() => true));
    if (response && !isDone) this.#continue(claimedJob, until);
    else run.to = time.now;
  }
}

/** Returns the response of the service, or null when it rejects the request as a conflict or not found. */
async function responseOf<T>(request: Promise<T>): Promise<T | null> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof HorariumError && (error.code === 'conflict' || error.code === 'not_found')) return null;
    throw error;
  }
}
