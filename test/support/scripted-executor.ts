import type { Attempt, AttemptHandle, AttemptReport, AttemptResult, Executor } from '@horarium/core';

/** One attempt in the hands of a test. */
export interface HeldAttempt {
  readonly attempt: Attempt;
  readonly report: AttemptReport;
  end(outcome?: Partial<AttemptResult>): void;
}

/** Starts nothing: each attempt waits until the test says how it ends, or it is told to stop. */
export class ScriptedExecutor implements Executor {
  readonly name = 'native';
  readonly options = {};
  readonly #waiting: ((held: HeldAttempt) => void)[] = [];
  readonly #held: HeldAttempt[] = [];

  /** The next attempt that was started; resolves when there is one. */
  next(): Promise<HeldAttempt> {
    const held = this.#held.shift();
    return held ? Promise.resolve(held) : new Promise((resolve) => this.#waiting.push(resolve));
  }

  start(attempt: Attempt, report: AttemptReport): AttemptHandle {
    let end: HeldAttempt['end'] = () => undefined;
    const done = new Promise<AttemptResult>((resolve) => {
      end = (outcome = {}) => {
        const usual = { exitCode: 0, signal: null, timedOut: false, reason: null, files: [] };
        resolve({ ...usual, finishedAt: Date.now(), ...outcome });
      };
    });
    report.started({ pid: null });
    const held = { attempt, report, end };
    const taker = this.#waiting.shift();
    if (taker) taker(held);
    else this.#held.push(held);
    return { done, stop: (reason) => end({ exitCode: null, signal: 'SIGTERM', reason }) };
  }
}
