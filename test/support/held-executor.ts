import type { Attempt, AttemptHandle, AttemptResult, Executor, Milliseconds } from '@horarium/core';

/** Attempts that go on, whoever asks them to stop, until the test ends them. */
export class HeldExecutor implements Executor {
  readonly name = 'native';
  readonly options = {};
  /** Ids of the jobs that were started, in order. */
  readonly started: number[] = [];
  /** Why attempts were asked to stop, by job. */
  readonly asked = new Map<number, string>();
  /** For how long it was told to keep its attempts alive, each time. */
  readonly kept: Milliseconds[] = [];
  readonly #ends = new Map<number, (outcome: AttemptResult) => void>();

  start({ jobId }: Attempt): AttemptHandle {
    this.started.push(jobId);
    const { promise, resolve } = Promise.withResolvers<AttemptResult>();
    this.#ends.set(jobId, resolve);
    return { done: promise, stop: (reason) => this.asked.set(jobId, reason) };
  }

  keepAlive(duration: Milliseconds): void {
    this.kept.push(duration);
  }

  /** Resolves when whoever waits for the end has heard of it. */
  async end(jobId: number, exitCode = 0): Promise<void> {
    this.#ends.get(jobId)?.({ exitCode, signal: null, timedOut: false, reason: null, finishedAt: 0, files: [] });
    await Promise.resolve();
    await Promise.resolve();
  }
}
