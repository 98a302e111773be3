import type { Attempt, AttemptHandle, AttemptResult, Executor, Milliseconds } from '@horarium/core';

/** An executor whose attempts last as many milliseconds as their first argument says, and which notes when each started. */
export class TimedExecutor implements Executor {
  readonly name = 'timed';
  readonly options = {};
  readonly #starts = new Map<number, (startedAt: Milliseconds) => void>();

  start({ jobId, arguments: [duration] }: Attempt): AttemptHandle {
    this.#starts.get(jobId)?.(performance.now());
    this.#starts.delete(jobId);
    const { promise, resolve } = Promise.withResolvers<AttemptResult>();
    const end = (): void => {
      clearTimeout(timer);
      resolve({ exitCode: 0, signal: null, timedOut: false, reason: null, finishedAt: Date.now(), files: [] });
    };
    const timer = setTimeout(end, Number(duration));
    return { done: promise, stop: end };
  }

  /** Resolves with the time at which the job starts, by `performance.now()`. It must not have started. */
  startOf(jobId: number): Promise<Milliseconds> {
    return new Promise((resolve) => this.#starts.set(jobId, resolve));
  }
}
