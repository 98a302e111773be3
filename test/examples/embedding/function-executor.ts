import type { Attempt, AttemptHandle, AttemptReport, AttemptResult, Executor } from '@horarium/core';

/** The argument of a function that runs as a job. */
export interface Call {
  readonly arguments: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Aborts when the job is cancelled or exceeds its timeout, or when the program ends. */
  readonly signal: AbortSignal;
  /** Resolves when the output was stored, or queued to be stored. */
  write(text: string, stream?: 'stdout' | 'stderr'): Promise<void>;
}

/** Returns the exit code, or nothing for 0. An error that it throws ends the job with exit code 1 and its message. */
// biome-ignore lint/suspicious/noConfusingVoidType: functions that return nothing are jobs as well.
export type JobFunction = (call: Call) => Promise<number | void>;

/** Runs functions of the program itself: the executable of an App is the name of a function. */
export class FunctionExecutor implements Executor {
  readonly name = 'function';
  readonly options = {};
  readonly #functions: Readonly<Record<string, JobFunction>>;
  readonly #running = new Map<AttemptHandle, Promise<AttemptResult>>();
  #closed = false;

  constructor(functions: Readonly<Record<string, JobFunction>>) {
    this.#functions = functions;
  }

  start(attempt: Attempt, report: AttemptReport): AttemptHandle {
    const stopping = new AbortController();
    const timer = attempt.timeout === null ? null : setTimeout(() => stopping.abort(timedOut), attempt.timeout);
    const running: AttemptHandle = {
      done: this.#run(attempt, report, stopping.signal).finally(() => {
        if (timer) clearTimeout(timer);
        this.#running.delete(running);
      }),
      stop: (reason) => stopping.abort(reason),
    };
    this.#running.set(running, running.done);
    return running;
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const running of this.#running.keys()) running.stop('the program ends');
    await Promise.all(this.#running.values());
  }

  async #run(attempt: Attempt, report: AttemptReport, signal: AbortSignal): Promise<AttemptResult> {
    const { executable, environment, timeout } = attempt;
    const run = Object.hasOwn(this.#functions, executable) ? this.#functions[executable] : undefined;
    if (this.#closed) return ended({ exitCode: 126, reason: 'the program ends' });
    if (!run) return ended({ exitCode: 127, reason: `there is no function ${executable}` });
    // `start` must return the handle before anything is reported.
    await Promise.resolve();
    report.started({ pid: null });
    if (signal.aborted) return ended({ exitCode: null, reason: String(signal.reason) });
    let outputError: string | null = null;
    let last: Promise<void> = Promise.resolve();
    const write: Call['write'] = (text, stream = 'stdout') => {
      last = last
        .then(() => report.output(stream, new TextEncoder().encode(text)))
        .catch((error) => {
          outputError ??= `output could not be stored: ${(error as Error).message}`;
        });
      return last;
    };
    const call = { arguments: attempt.arguments, environment, signal, write };
    const outcome = await run(call).then(
      (code) => ({ exitCode: code ?? 0, reason: null }),
      (error) => ({ exitCode: 1, reason: String(error instanceof Error ? error.message : error) }),
    );
    await last;
    if (!signal.aborted) return ended({ ...outcome, reason: outcome.reason ?? outputError });
    if (signal.reason === timedOut)
      return ended({ exitCode: null, timedOut: true, reason: `took longer than ${(timeout ?? 0) / 1000} s` });
    return ended({ exitCode: null, reason: String(signal.reason) });
  }
}

const timedOut = Symbol('timed out');

function ended(outcome: Pick<AttemptResult, 'exitCode' | 'reason'> & Partial<AttemptResult>): AttemptResult {
  return { signal: null, timedOut: false, finishedAt: Date.now(), files: [], ...outcome };
}
