import type { Attempt, AttemptHandle, AttemptReport, AttemptResult, Executor } from '@horarium/core';
import { forbiddenVariables } from '../../../plugins/executor-native/forbidden-variables.ts';

/** A started attempt, which the test ends. */
export interface StartedAttempt {
  readonly attempt: Attempt;
  readonly report: AttemptReport;
  end(result?: Partial<AttemptResult>): void;
}

/** An executor without processes, in place of the native one: an attempt runs until the test ends it or it is stopped. */
export class ScriptedExecutor implements Executor {
  readonly name = 'native';
  readonly options = {};
  readonly forbiddenVariables = forbiddenVariables;
  readonly #waiting: ((started: StartedAttempt) => void)[] = [];
  readonly #started: StartedAttempt[] = [];

  /** Resolves with the next attempt as soon as it was started. */
  next(): Promise<StartedAttempt> {
    const started = this.#started.shift();
    return started ? Promise.resolve(started) : new Promise((resolve) => this.#waiting.push(resolve));
  }

  start(attempt: Attempt, report: AttemptReport): AttemptHandle {
    let end: StartedAttempt['end'] = () => undefined;
    const done = new Promise<AttemptResult>((resolve) => {
      end = (result = {}) => {
        const success = { exitCode: 0, signal: null, timedOut: false, reason: null, files: [] };
        resolve({ ...success, finishedAt: Date.now(), ...result });
      };
    });
    report.started({ pid: null });
    const started = { attempt, report, end };
    const waiter = this.#waiting.shift();
    if (waiter) waiter(started);
    else this.#started.push(started);
    return { done, stop: (reason) => end({ exitCode: null, signal: 'SIGTERM', reason }) };
  }
}
