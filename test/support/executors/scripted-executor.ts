import type { Attempt, AttemptHandle, AttemptReport, AttemptResult, Executor } from '@horarium/core';

/** One attempt that the test ends. */
export interface StartedAttempt {
  readonly attempt: Attempt;
  readonly report: AttemptReport;
  end(result?: Partial<AttemptResult>): void;
}

/** Starts no process: each attempt runs until the test ends it, or it is asked to stop. */
export class ScriptedExecutor implements Executor {
  readonly name = 'native';
  readonly options = {};
  readonly #waiting: ((started: StartedAttempt) => void)[] = [];
  readonly #started: StartedAttempt[] = [];

  /** The next started attempt; resolves when there is one. */
  next(): Promise<StartedAttempt> {
    const started = this.#started.shift();
    return started ? Promise.resolve(started) : new Promise((resolve) => this.#waiting.push(resolve));
  }

  start(attempt: Attempt, report: AttemptReport): AttemptHandle {
    let end: StartedAttempt['end'] = () => undefined;
    const done = new Promise<AttemptResult>((resolve) => {
      end = (result = {}) => {
        const usual = { exitCode: 0, signal: null, timedOut: false, reason: null, files: [] };
        resolve({ ...usual, finishedAt: Date.now(), ...result });
      };
    });
    report.started({ pid: null });
    const started = { attempt, report, end };
    const taker = this.#waiting.shift();
    if (taker) taker(started);
    else this.#started.push(started);
    return { done, stop: (reason) => end({ exitCode: null, signal: 'SIGTERM', reason }) };
  }
}
