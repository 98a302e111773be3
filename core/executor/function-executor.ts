import type { Variable } from '../app/declarations.ts';
import { errorMessage, HorariumError } from '../errors.ts';
import type { Clock, Milliseconds } from '../loop/clock.ts';
import { systemClock } from '../loop/system-clock.ts';
import type { Attempt, AttemptHandle, AttemptReport, AttemptResult, Executor, OutputStream } from './executor.ts';

/** The attempt at a job, as the function that runs it gets it. */
export interface FunctionAttempt extends Pick<Attempt, 'jobId' | 'arguments' | 'environment' | 'stdin' | 'timeout'> {
  /** Aborts when the job is cancelled or exceeds its timeout, or when the core stops; its reason is an Error. */
  readonly signal: AbortSignal;
  /** Writes a line to the output of the job. Resolves when the output may grow further. */
  log(line: string): Promise<void>;
  /** Writes a text to the output of the job. Resolves when the output may grow further. */
  write(text: string, stream?: OutputStream): Promise<void>;
}

/**
 * A function that runs as a job. What it returns does not matter. An error that it throws fails the job, with its message
 * as the reason and, where it has one, its `exitCode`.
 */
export interface JobFunction {
  (attempt: FunctionAttempt): unknown;
  /** The variables that it reads, which `core.every` declares in its App. @default none */
  readonly variables?: Readonly<Record<string, Variable>>;
}

export interface FunctionExecutorOptions {
  /** @default 'function' */
  readonly name?: string;
  /** @default that of this machine */
  readonly clock?: Clock;
  /**
   * How long a function may go on after its signal was aborted; afterwards the job ends, although the function still
   * runs, because nothing can end a function from outside. @default 10 s
   */
  readonly grace?: Milliseconds;
}

/** Runs functions of this program: the executable of an App is the name of a function. */
export class FunctionExecutor implements Executor {
  readonly name: string;
  readonly options = {};
  readonly #functions: Map<string, JobFunction>;
  readonly #clock: Clock;
  readonly #grace: Milliseconds;
  readonly #running = new Set<RunningFunction>();
  #closed = false;

  constructor(
    functions: Readonly<Record<string, JobFunction>>,
    { name = 'function', clock = systemClock, grace = 10_000 }: FunctionExecutorOptions = {},
  ) {
    this.name = name;
    this.#functions = new Map(Object.entries(functions));
    this.#clock = clock;
    this.#grace = grace;
  }

  /** Adds a function. @throws HorariumError `conflict` when another one has the name. */
  add(name: string, run: JobFunction): void {
    const known = this.#functions.get(name);
    if (known && known !== run) throw new HorariumError('conflict', `There is another function ${name} already.`);
    this.#functions.set(name, run);
  }

  start(attempt: Attempt, report: AttemptReport): AttemptHandle {
    const run = this.#functions.get(attempt.executable);
    if (this.#closed) return this.#refusal(126, `the executor ${this.name} is closed`);
    if (!run) return this.#refusal(127, `this program has no function ${attempt.executable}`);
    const running = new RunningFunction(attempt, report, this.#clock, this.#grace);
    this.#running.add(running);
    const done = running.run(run).finally(() => this.#running.delete(running));
    return { done, stop: (reason) => running.stop(reason) };
  }

  async close(): Promise<void> {
    this.#closed = true;
    const running = [...this.#running];
    for (const each of running) each.stop(`the executor ${this.name} is closed`);
    await Promise.all(running.map(({ ended }) => ended));
  }

  #refusal(exitCode: number, reason: string): AttemptHandle {
    return { done: Promise.resolve(resultOf(this.#clock, { exitCode, reason })), stop() {} };
  }
}

/** One call of a function. */
class RunningFunction {
  readonly #attempt: Attempt;
  readonly #report: AttemptReport;
  readonly #clock: Clock;
  readonly #grace: Milliseconds;
  readonly #stopping = new AbortController();
  readonly #end = Promise.withResolvers<void>();
  #timedOut = false;
  #hasEnded = false;
  #outputError: string | null = null;
  #written: Promise<void> = Promise.resolve();

  constructor(attempt: Attempt, report: AttemptReport, clock: Clock, grace: Milliseconds) {
    this.#attempt = attempt;
    this.#report = report;
    this.#clock = clock;
    this.#grace = grace;
  }

  get ended(): Promise<void> {
    return this.#end.promise;
  }

  /** Calls the function, once `start` has returned the handle. Never rejects. */
  async run(run: JobFunction): Promise<AttemptResult> {
    await Promise.resolve();
    const over = new AbortController();
    this.#report.started({ pid: null });
    const { signal } = this.#stopping;
    const result = signal.aborted ? this.#stopped() : await this.#runUntil(run, over.signal);
    over.abort('over');
    this.#hasEnded = true;
    this.#end.resolve();
    return result;
  }

  /** Aborts the signal of the function; only the first reason counts. */
  stop(reason: string, name = 'AbortError'): void {
    if (this.#hasEnded || this.#stopping.signal.aborted) return;
    this.#stopping.abort(Object.assign(new Error(reason), { name }));
  }

  /** @param over aborts when the call has ended, so that no timer outlives it. */
  async #runUntil(run: JobFunction, over: AbortSignal): Promise<AttemptResult> {
    void this.#stopAtTimeout(over);
    const graceOver = this.#graceAfterStop(over);
    const outcome = await Promise.race([this.#call(run), graceOver]);
    if (!outcome) return this.#stopped(' (the function ignores its signal and still runs)');
    if (this.#stopping.signal.aborted) return this.#stopped();
    return resultOf(this.#clock, { ...outcome, reason: outcome.reason ?? this.#outputError });
  }

  /** Calls the function and waits for it and its output. @returns how it ended, whether or not it was stopped. */
  async #call(run: JobFunction): Promise<Outcome> {
    const { jobId, arguments: args, environment, stdin, timeout } = this.#attempt;
    const write: FunctionAttempt['write'] = (text, stream = 'stdout') => this.#write(text, stream);
    const log = (line: string) => write(`${line}\n`);
    const { signal } = this.#stopping;
    let outcome: Outcome = { exitCode: 0, reason: null };
    try {
      await run({ jobId, arguments: args, environment, stdin, timeout, signal, log, write });
    } catch (error) {
      outcome = { exitCode: exitCodeOf(error), reason: errorMessage(error) };
      if (!signal.aborted && error instanceof Error) void write(`${error.stack}\n`, 'stderr');
    }
    await this.#written;
    return outcome;
  }

  /** Hands the output over in the order in which it was written, one text after the other. */
  #write(text: string, stream: OutputStream): Promise<void> {
    this.#written = this.#written.then(async () => {
      if (this.#hasEnded || this.#outputError !== null || text === '') return;
      try {
        await this.#report.output(stream, new TextEncoder().encode(text));
      } catch (error) {
        this.#outputError = `output could not be stored: ${errorMessage(error)}`;
      }
    });
    return this.#written;
  }

  async #stopAtTimeout(over: AbortSignal): Promise<void> {
    const { timeout } = this.#attempt;
    if (timeout === null) return;
    await this.#clock.sleep(timeout, AbortSignal.any([over, this.#stopping.signal]));
    if (over.aborted || this.#stopping.signal.aborted) return;
    this.#timedOut = true;
    this.stop(`took longer than ${timeout / 1000} s`, 'TimeoutError');
  }

  /** Resolves to null when the grace is over that a stopped function has; else never. */
  async #graceAfterStop(over: AbortSignal): Promise<null> {
    const { signal } = this.#stopping;
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    await this.#clock.sleep(this.#grace, over);
    return null;
  }

  /** @param note the end of the sentence that gives the reason. */
  #stopped(note = ''): AttemptResult {
    const { message } = this.#stopping.signal.reason as Error;
    return resultOf(this.#clock, { exitCode: null, timedOut: this.#timedOut, reason: message + note });
  }
}

type Outcome = Pick<AttemptResult, 'exitCode' | 'reason'>;

/** The exit code of an error, if it has one that means a failure; otherwise 1. */
function exitCodeOf(error: unknown): number {
  const { exitCode } = Object(error) as { exitCode?: unknown };
  return typeof exitCode === 'number' && Number.isInteger(exitCode) && exitCode > 0 ? exitCode : 1;
}

function resultOf(clock: Clock, outcome: Outcome & Partial<AttemptResult>): AttemptResult {
  return { signal: null, timedOut: false, finishedAt: clock.now(), files: [], ...outcome };
}
