import type {
  Attempt,
  AttemptHandle,
  AttemptReport,
  AttemptResult,
  Executor,
  Milliseconds,
  OutputStream,
} from '@horarium/core';

/** Runs attempts until the test ends them; requests to stop are recorded and change nothing. */
export class ManualExecutor implements Executor {
  readonly name = 'native';
  readonly options = {};
  /** Ids of the jobs that were started, in order. */
  readonly started: number[] = [];
  /** The reasons of requests to stop, by job. */
  readonly stops = new Map<number, string>();
  /** The durations of all keep-alives. */
  readonly keepAlives: Milliseconds[] = [];
  readonly #ends = new Map<number, (result: AttemptResult) => void>();

  readonly #reports = new Map<number, AttemptReport>();

  start({ jobId }: Attempt, report: AttemptReport): AttemptHandle {
    this.#reports.set(jobId, report);
    this.started.push(jobId);
    const { promise, resolve } = Promise.withResolvers<AttemptResult>();
    this.#ends.set(jobId, resolve);
    return { done: promise, stop: (reason) => this.stops.set(jobId, reason) };
  }

  keepAlive(duration: Milliseconds): void {
    this.keepAlives.push(duration);
  }

  /** Writes output of an attempt; resolves when the worker has it. */
  async write(jobId: number, text: string, stream: OutputStream = 'stdout'): Promise<void> {
    await this.#reports.get(jobId)?.output(stream, new TextEncoder().encode(text));
  }

  progress(jobId: number, progress: number | null, message: string | null = null): void {
    this.#reports.get(jobId)?.progress?.({ progress, message });
  }

  /** Ends an attempt; resolves when the worker has the result. */
  async end(jobId: number, exitCode = 0, more: Partial<AttemptResult> = {}): Promise<void> {
    const result = { exitCode, signal: null, timedOut: false, reason: null, finishedAt: 0, files: [] };
    this.#ends.get(jobId)?.({ ...result, ...more });
    await Promise.resolve();
    await Promise.resolve();
  }
}
