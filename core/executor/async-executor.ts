import { errorMessage } from '../errors.ts';
import type { Fields } from '../field/field-meta.ts';
import type { Clock, Milliseconds } from '../loop/clock.ts';
import { systemClock } from '../loop/system-clock.ts';
import type { Executable } from '../resource/record-services.ts';
import { AsyncRun, type AsyncRunDefinition } from './async-run.ts';
import type { Attempt, AttemptHandle, AttemptReport, AttemptResult, Executor } from './executor.ts';

/** Why an attempt cannot start: 127 for a program that is missing, 126 for one that must not run. */
export interface StartRefusal {
  readonly exitCode: 126 | 127;
  readonly reason: string;
}

/** An executor whose attempts are calls of an async function. */
export interface AsyncExecutorDefinition<F extends Fields = Fields> extends AsyncRunDefinition<F> {
  readonly name: string;
  /** The options that a run template may give it, described with the same field helpers as records. @default none */
  readonly options?: F;
  recognizes?(app: Executable): boolean;
  addressOf?(app: Executable): string;
  /** Returns why an attempt cannot start; null = it can. @default all can */
  refusal?(attempt: Attempt<F>): StartRefusal | null;
  /** Runs when the executor is closed and its attempts have ended. */
  close?(): Promise<void>;
  keepAlive?(duration: Milliseconds): void;
}

/**
 * Makes an executor of an async function: it calls it, hands its output over piece by piece, aborts its signal when the
 * attempt is stopped or its time is over, and returns the result.
 */
export function defineAsyncExecutor<const F extends Fields>(definition: AsyncExecutorDefinition<F>): AsyncExecutor<F> {
  return new AsyncExecutor(definition);
}

/** An executor whose attempts are calls of an async function. */
export class AsyncExecutor<F extends Fields = Fields> implements Executor<F> {
  readonly name: string;
  readonly options: F;
  readonly recognizes?: (app: Executable) => boolean;
  readonly addressOf?: (app: Executable) => string;
  readonly keepAlive?: (duration: Milliseconds) => void;
  readonly #definition: AsyncExecutorDefinition<F>;
  readonly #clock: Clock;
  readonly #running = new Set<AsyncRun<F>>();
  #closed: Promise<void> | null = null;

  constructor(definition: AsyncExecutorDefinition<F>) {
    this.name = definition.name;
    this.options = definition.options ?? ({} as F);
    this.#definition = definition;
    this.#clock = definition.clock ?? systemClock;
    if (definition.recognizes) this.recognizes = (app) => definition.recognizes?.(app) ?? false;
    if (definition.addressOf) this.addressOf = (app) => definition.addressOf?.(app) ?? '';
    if (definition.keepAlive) this.keepAlive = (duration) => definition.keepAlive?.(duration);
  }

  start(attempt: Attempt<F>, report: AttemptReport): AttemptHandle {
    const refusal = this.#refusalOf(attempt);
    if (refusal) return { done: Promise.resolve(this.#refused(refusal)), stop() {} };
    const running = new AsyncRun(attempt, report, this.#definition);
    this.#running.add(running);
    const done = running.run().finally(() => this.#running.delete(running));
    return { done, stop: (reason) => running.stop(reason) };
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    const running = [...this.#running];
    for (const each of running) each.stop(this.#closedReason());
    await Promise.all(running.map(({ ended }) => ended));
    await this.#definition.close?.();
  }

  #refusalOf(attempt: Attempt<F>): StartRefusal | null {
    if (this.#closed) return { exitCode: 126, reason: this.#closedReason() };
    try {
      return this.#definition.refusal?.(attempt) ?? null;
    } catch (error) {
      return { exitCode: 126, reason: errorMessage(error) };
    }
  }

  #closedReason(): string {
    return `the executor ${this.name} is closed`;
  }

  #refused(refusal: StartRefusal): AttemptResult {
    return { signal: null, timedOut: false, finishedAt: this.#clock.now(), files: [], ...refusal };
  }
}
