import type {
  Attempt,
  AttemptHandle,
  AttemptReport,
  AttemptResult,
  Clock,
  Executor,
  OutputStream,
} from '@horarium/core';

interface FakeRun {
  readonly attempt: Attempt;
  readonly report: AttemptReport;
  readonly end: (result: Partial<AttemptResult>) => void;
  /** Resolves when its output so far was taken. */
  written: Promise<void>;
}

/** An executor without processes: an attempt runs until the test ends it, it is stopped, or its lease runs out. */
export class FakeExecutor implements Executor {
  readonly name: string;
  readonly options = {};
  readonly keepAlive?: (duration: number) => void;
  /** Ids of the jobs that were started, in order. */
  readonly started: number[] = [];
  readonly stops: { readonly job: number; readonly reason: string }[] = [];
  readonly keepAlives: number[] = [];
  readonly takesFiles: boolean;
  /** The content of the input files of jobs, by job, of those that have read all. */
  readonly read = new Map<number, Buffer>();
  /** Whether a stop ends an attempt. */
  obeys = true;
  readonly #clock: Clock;
  readonly #running = new Map<number, FakeRun>();
  #leasedUntil = Infinity;

  /** @param leased whether its attempts may outlive the agent, so that they have a lease of their own; these take files. */
  constructor(clock: Clock, { name = 'native', leased = true } = {}) {
    this.#clock = clock;
    this.name = name;
    this.takesFiles = leased;
    if (leased) this.keepAlive = (duration) => this.#keepAlive(duration);
  }

  /** Ids of the jobs that run. */
  get running(): number[] {
    return [...this.#running.keys()];
  }

  start(attempt: Attempt, report: AttemptReport): AttemptHandle {
    const { promise: done, resolve } = Promise.withResolvers<AttemptResult>();
    const { jobId } = attempt;
    this.started.push(jobId);
    const end = (result: Partial<AttemptResult>) => {
      const finishedAt = this.#clock.now();
      const ended = { exitCode: 0, signal: null, timedOut: false, reason: null, finishedAt, files: [], ...result };
      const run = this.#running.get(jobId);
      this.#running.delete(jobId);
      void run?.written.then(() => reading).then(() => resolve(ended));
    };
    this.#running.set(jobId, { attempt, report, end, written: Promise.resolve() });
    const reading = this.#read(attempt).catch(() => undefined);
    report.started({ pid: 1000 + jobId });
    const stop = (reason: string) => {
      this.stops.push({ job: jobId, reason });
      if (this.obeys) end({ exitCode: null, signal: 'SIGTERM' });
    };
    return { done, stop };
  }

  /** Writes output of a job, after what was written before; resolves when there is room for more. */
  async write(job: number, text: string | Uint8Array, stream: OutputStream = 'stdout', cut = false): Promise<void> {
    const run = this.#running.get(job);
    if (!run) return;
    const bytes = typeof text === 'string' ? Buffer.from(text) : text;
    run.written = run.written.then(() => run.report.output(stream, bytes, cut));
    await run.written;
  }

  progress(job: number, progress: number): void {
    this.#running.get(job)?.report.progress?.({ progress, message: null });
  }

  end(job: number, result: Partial<AttemptResult> = {}): void {
    this.#running.get(job)?.end(result);
  }

  async #read({ jobId, files = [] }: Attempt): Promise<void> {
    const pieces: Uint8Array[] = [];
    for (const file of files) for await (const piece of file.content()) pieces.push(piece);
    this.read.set(jobId, Buffer.concat(pieces));
  }

  #keepAlive(duration: number): void {
    this.keepAlives.push(duration);
    this.#leasedUntil = this.#clock.uptime() + duration;
    const killIfOver = () => {
      if (this.#clock.uptime() < this.#leasedUntil) return;
      for (const { end } of [...this.#running.values()])
        end({ exitCode: null, signal: 'SIGKILL', lost: true, reason: 'its lease ran out' });
    };
    if (duration <= 0) killIfOver();
    else void this.#clock.sleep(duration).then(killIfOver);
  }
}
