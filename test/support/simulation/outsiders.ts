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
import { externalExecutors } from '../external-executors.ts';
import { prepareAttempts } from './prepare-attempts.ts';
import type { Random } from './random.ts';
import type { PhysicalRun, Script } from './simulated-executor.ts';
import type { VirtualTime } from './virtual-time.ts';

export interface OutsidersOptions {
  readonly store: Store;
  readonly time: VirtualTime;
  readonly random: Random;
  /** Whether any host would answer at this moment. */
  isServed(): boolean;
  /** How an attempt goes; null = whoever does it falls silent and is never heard of again. */
  script(): Script | null;
  /** Jobs were started or ended. */
  onJobs(): void;
  onError(error: unknown): void;
}

/** A hash in name only: nobody in the simulation guesses. */
const digests = { random: () => '', sha256: (text: string) => text, keyed: (text: string) => text };
const often: Milliseconds = 10_000;

/** Programs elsewhere that do the jobs of the external executor, as well as they can. */
export class Outsiders {
  /** What they worked on, and until when. */
  readonly runs: PhysicalRun[] = [];
  readonly #options: OutsidersOptions;
  readonly #store: AuditedStore;
  readonly #jobs: ExternalJobs;
  readonly #heartbeats: Heartbeats;

  constructor(options: OutsidersOptions) {
    this.#options = options;
    this.#store = new AuditedStore(options.store);
    this.#heartbeats = new Heartbeats({ store: this.#store, digests, prepare: prepareAttempts });
    this.#jobs = new ExternalJobs({
      store: this.#store,
      guard: { readable: () => true, refusal: async () => undefined, mayCascade: () => true },
      mayRun: () => true,
      executors: new Map(externalExecutors()),
      digests,
      prepare: prepareAttempts,
      onJobs: options.onJobs,
    });
  }

  /** From now on so many of them look for work. */
  begin(count: number): void {
    for (let index = 1; index <= count; index++) this.#look(`outsider${index}`);
  }

  #look(name: string): void {
    const { time, random, onError } = this.#options;
    time.in(random.whole(500, 2 * often), () => {
      this.#look(name);
      void this.#takeOne(name).catch(onError);
    });
  }

  async #takeOne(name: string): Promise<void> {
    const { time, random, isServed } = this.#options;
    if (!isServed()) return;
    const due = await this.#store.read((tables) =>
      tables.of(Job).find({
        where: [
          ['state', '=', 'scheduled'],
          ['executor', '=', 'external'],
          // Now and then one is tried that is not due.
          ['scheduled_at', '<=', time.storeNow + (random.chance(0.1) ? often : 0)],
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
    if (script) this.#goOn(run, script, time.now + script.duration);
    else run.to = time.now;
  }

  /** Gives a sign of life again and again until the work is done, and then says so until somebody listens. */
  #goOn(run: PhysicalRun, script: Script, until: number): void {
    const { time, onError } = this.#options;
    const wait = Math.min(often, until - time.now);
    time.in(Math.max(wait, 100), () => void this.#tell(run, script, until).catch(onError));
  }

  async #tell(run: PhysicalRun, script: Script, until: number): Promise<void> {
    const { time, random, isServed } = this.#options;
    if (!isServed()) {
      this.#goOn(run, script, Math.max(until, time.now + 1000));
      return;
    }
    const done = time.now >= until;
    const { jobId, host } = run;
    const actor = trustedActor(host.slice('external:'.length), 'http');
    const report = { stdout: script.output.join(''), ...(done && { exit_code: script.exitCode }) };
    const said =
      done || random.chance(0.3)
        ? await accepted(this.#jobs.report(actor, jobId, report))
        : await accepted(this.#heartbeats.note(jobId, `key ${jobId}`, { progress: 50 }).then(() => true));
    if (said && !done) this.#goOn(run, script, until);
    else run.to = time.now;
  }
}

/** What came of it; null when it was refused in plain words. */
async function accepted<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof HorariumError && (error.code === 'conflict' || error.code === 'not_found')) return null;
    throw error;
  }
}
