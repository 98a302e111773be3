import {
  AuditedStore,
  ExternalJobs,
  Heartbeats,
  HorariumError,
  Job,
  type Milliseconds,
  type Store,
  trustedActor,
} from '@horarium/core';
import type { VirtualTime } from '../../clocks/virtual-time.ts';
import { externalExecutors } from '../../executors/external-executors.ts';
import { testPreparation } from './preparation.ts';
import type { Random } from './random.ts';
import type { PhysicalRun, Script } from './simulated-executor.ts';

export interface ExternalWorkersOptions {
  readonly store: Store;
  readonly time: VirtualTime;
  readonly random: Random;
  /** Whether any host would answer a request at this moment. */
  isServed(): boolean;
  /** How an attempt goes; null = its worker claims it and never reports again. */
  script(): Script | null;
  /** Jobs were started or ended. */
  onJobs(): void;
  onError(error: unknown): void;
}

const interval: Milliseconds = 10_000;

/** A claimed job, how its attempt goes, and the key of its heartbeats. */
interface Work {
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
    this.#store = new AuditedStore(options.store);
    const preparation = testPreparation();
    this.#heartbeats = new Heartbeats({ ...preparation, store: this.#store });
    this.#jobs = new ExternalJobs({
      ...preparation,
      store: this.#store,
      executors: new Map(externalExecutors()),
      onJobs: options.onJobs,
    });
  }

  /** Starts so many workers that look for jobs from now on. */
  start(count: number): void {
    for (let index = 1; index <= count; index++) this.#look(`external${index}`);
  }

  #look(name: string): void {
    const { time, random, onError } = this.#options;
    time.in(random.whole(500, 2 * interval), () => {
      this.#look(name);
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
    const claimed = await accepted(this.#jobs.claim(trustedActor(name, 'http'), id));
    if (!claimed) return;
    const run: PhysicalRun = { jobId: id, host: `external:${name}`, from: time.now, to: null };
    this.runs.push(run);
    const script = this.#options.script();
    if (script) this.#continue({ run, script, key: claimed.pingUrl }, time.now + script.duration);
    else run.to = time.now;
  }

  /** Sends heartbeats until the work is done, and then the report until the service accepts or refuses it. */
  #continue(work: Work, until: number): void {
    const { time, onError } = this.#options;
    const wait = Math.min(interval, until - time.now);
    time.in(Math.max(wait, 100), () => void this.#report(work, until).catch(onError));
  }

  async #report(work: Work, until: number): Promise<void> {
    const { run, script, key } = work;
    const { time, random, isServed } = this.#options;
    if (!isServed()) {
      this.#continue(work, Math.max(until, time.now + 1000));
      return;
    }
    const done = time.now >= until;
    const { jobId, host } = run;
    const actor = trustedActor(host.slice('external:'.length), 'http');
    const report = { stdout: script.output.join(''), ...(done && { exit_code: script.exitCode }) };
    const answer =
      done || random.chance(0.3)
        ? await accepted(this.#jobs.report(actor, jobId, report))
        : await accepted(this.#heartbeats.note(jobId, key, { progress: 50 }).then(() => true));
    if (answer && !done) this.#continue(work, until);
    else run.to = time.now;
  }
}

/** The answer of the service; null when it refused the request. */
async function accepted<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof HorariumError && (error.code === 'conflict' || error.code === 'not_found')) return null;
    throw error;
  }
}
