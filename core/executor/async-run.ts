import { errorMessage } from '../errors.ts';
import type { Fields } from '../field/field-meta.ts';
import type { Clock, Milliseconds } from '../loop/clock.ts';
import { systemClock } from '../loop/system-clock.ts';
import { outputCut } from './attempt-limits.ts';
import type { Attempt, AttemptReport, AttemptResult, OutputStream } from './executor.ts';

/** An attempt as the function that runs it gets it. */
export interface AsyncAttempt<F extends Fields = Fields> extends Attempt<F> {
  /** Aborts when the attempt is stopped, exceeds its timeout, or its executor is closed; its reason is an Error. */
  readonly signal: AbortSignal;
  /** Writes output. Resolves when the output may grow further. */
  write(piece: string | Uint8Array, stream?: OutputStream): Promise<void>;
  /** Reports how far the attempt is, in percent, and what it does. The latest call counts, so it may be called at any rate. */
  progress(percent: number | null, message?: string | null): void;
  /** Reports that the program runs, for an executor that `reportsStart`. Only the first call counts. */
  started(pid?: number): void;
}

/** How an attempt ended that was not stopped. @default exit code 0, without a reason */
export type AsyncOutcome = Partial<Omit<AttemptResult, 'timedOut' | 'finishedAt'>>;

/** How an async executor runs an attempt. */
export interface AsyncRunDefinition<F extends Fields = Fields> {
  /** @default that of this machine */
  readonly clock?: Clock;
  /**
   * How long the function may go on after its signal was aborted; afterwards the attempt ends, although the function still
   * runs. @default 10 s
   */
  readonly grace?: Milliseconds;
  /** Bytes of output that are stored of one attempt. @default no limit */
  readonly maxOutput?: number;
  /** Whether `run` reports by itself when the program runs. @default false: it is reported before `run` */
  readonly reportsStart?: boolean;
  /**
   * Runs an attempt until it has ended, also after its signal was aborted: what it returns or throws then is ignored. An
   * error fails the attempt, with its message as the reason and, where it has one, its `exitCode`.
   */
  run(attempt: AsyncAttempt<F>): Promise<AsyncOutcome | undefined>;
}

const newline = 10;

/** One call of the function of an async executor. */
export class AsyncRun<F extends Fields> {
  readonly #attempt: Attempt<F>;
  readonly #report: AttemptReport;
  readonly #definition: AsyncRunDefinition<F>;
  readonly #clock: Clock;
  readonly #stopping = new AbortController();
  readonly #end = Promise.withResolvers<void>();
  #isStarted = false;
  #timedOut = false;
  #hasEnded = false;
  #outputError: string | null = null;
  #written: Promise<void> = Promise.resolve();
  /** How many more bytes of output are stored; below zero when the line in place of the rest was written. */
  #remaining: number;
  #lastByte = newline;

  constructor(attempt: Attempt<F>, report: AttemptReport, definition: AsyncRunDefinition<F>) {
    this.#attempt = attempt;
    this.#report = report;
    this.#definition = definition;
    this.#clock = definition.clock ?? systemClock;
    this.#remaining = definition.maxOutput ?? Infinity;
  }

  get ended(): Promise<void> {
    return this.#end.promise;
  }

  /** Calls the function, once `start` has returned the handle. Never rejects. */
  async run(): Promise<AttemptResult> {
    await Promise.resolve();
    if (!this.#definition.reportsStart) this.#started();
    const over = new AbortController();
    const { signal } = this.#stopping;
    const result = signal.aborted ? this.#stopped() : await this.#runUntil(over.signal);
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
  async #runUntil(over: AbortSignal): Promise<AttemptResult> {
    void this.#stopAtTimeout(over);
    const graceOver = this.#graceAfterStop(over);
    const outcome = await Promise.race([this.#call(), graceOver]);
    if (!outcome) return this.#stopped(' (the function ignores its signal and still runs)');
    if (this.#stopping.signal.aborted) return this.#stopped();
    return this.#resultOf({ ...outcome, reason: outcome.reason ?? this.#outputError });
  }

  /** Calls the function and waits for it and its output. @returns how it ended, whether or not it was stopped. */
  async #call(): Promise<AsyncOutcome> {
    const outcome = await this.#outcome();
    await this.#written;
    return outcome;
  }

  async #outcome(): Promise<AsyncOutcome> {
    const attempt: AsyncAttempt<F> = {
      ...this.#attempt,
      signal: this.#stopping.signal,
      write: (piece, stream = 'stdout') => this.#write(piece, stream),
      progress: (progress, message = null) => this.#hasEnded || this.#report.progress?.({ progress, message }),
      started: (pid) => this.#started(pid),
    };
    try {
      return { exitCode: 0, ...(await this.#definition.run(attempt)) };
    } catch (error) {
      return { exitCode: exitCodeOf(error), reason: errorMessage(error) };
    }
  }

  #started(pid: number | null = null): void {
    if (this.#isStarted || this.#hasEnded) return;
    this.#isStarted = true;
    this.#report.started({ pid });
  }

  /** Hands the output over in the order in which it was written, one piece after the other. */
  #write(piece: string | Uint8Array, stream: OutputStream): Promise<void> {
    this.#written = this.#written.then(async () => {
      if (this.#hasEnded || this.#outputError !== null || piece.length === 0 || this.#remaining < 0) return;
      const bytes = typeof piece === 'string' ? new TextEncoder().encode(piece) : piece;
      const stored = bytes.subarray(0, Math.min(bytes.length, this.#remaining));
      this.#remaining -= bytes.length;
      try {
        if (stored.length > 0) await this.#report.output(stream, stored);
        this.#lastByte = stored.at(-1) ?? this.#lastByte;
        if (this.#remaining < 0) await this.#report.output(stream, this.#cutLine(), true);
      } catch (error) {
        this.#outputError = `output could not be stored: ${errorMessage(error)}`;
      }
    });
    return this.#written;
  }

  #cutLine(): Uint8Array {
    const line = outputCut(this.#definition.maxOutput ?? 0);
    return new TextEncoder().encode(`${this.#lastByte === newline ? '' : '\n'}${line}\n`);
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
    await this.#clock.sleep(this.#definition.grace ?? 10_000, over);
    return null;
  }

  /** @param note the end of the sentence that gives the reason. */
  #stopped(note = ''): AttemptResult {
    const { message } = this.#stopping.signal.reason as Error;
    return this.#resultOf({ exitCode: null, timedOut: this.#timedOut, reason: message + note });
  }

  #resultOf(outcome: Partial<AttemptResult>): AttemptResult {
    const finishedAt = this.#clock.now();
    return { exitCode: 0, signal: null, reason: null, files: [], ...outcome, timedOut: this.#timedOut, finishedAt };
  }
}

/** The exit code of an error, if it has one that means a failure; otherwise 1. */
function exitCodeOf(error: unknown): number {
  const { exitCode } = Object(error) as { exitCode?: unknown };
  return typeof exitCode === 'number' && Number.isInteger(exitCode) && exitCode > 0 ? exitCode : 1;
}
