import type { Variable } from '../app/declarations.ts';
import { HorariumError } from '../errors.ts';
import type { Clock, Milliseconds } from '../loop/clock.ts';
import { AsyncExecutor } from './async-executor.ts';
import type { AsyncAttempt } from './async-run.ts';
import type { Attempt, OutputStream } from './executor.ts';

/** The attempt at a job, as the function that runs it gets it. */
export interface FunctionAttempt extends Pick<Attempt, 'jobId' | 'arguments' | 'environment' | 'stdin' | 'timeout'> {
  /** Aborts when the job is cancelled or exceeds its timeout, or when the core stops; its reason is an Error. */
  readonly signal: AbortSignal;
  /** Writes a line to the output of the job. Resolves when the output may grow further. */
  log(line: string): Promise<void>;
  /** Writes a text to the output of the job. Resolves when the output may grow further. */
  write(text: string, stream?: OutputStream): Promise<void>;
  /** Shows how far the job is, in percent, and what it does. The latest call counts, so it may be called at any rate. */
  progress(percent: number | null, message?: string | null): void;
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
export class FunctionExecutor extends AsyncExecutor {
  readonly #functions: Map<string, JobFunction>;

  constructor(
    functions: Readonly<Record<string, JobFunction>>,
    { name = 'function', ...options }: FunctionExecutorOptions = {},
  ) {
    const byName = new Map(Object.entries(functions));
    super({
      name,
      ...options,
      refusal: ({ executable }) =>
        byName.has(executable) ? null : { exitCode: 127, reason: `this program has no function ${executable}` },
      run: (attempt) => call(byName.get(attempt.executable) as JobFunction, attempt),
    });
    this.#functions = byName;
  }

  /** Adds a function. @returns whether it is new. @throws HorariumError `conflict` when another one has the name. */
  add(name: string, run: JobFunction): boolean {
    const known = this.#functions.get(name);
    if (known && known !== run) throw new HorariumError('conflict', `There is another function ${name} already.`);
    this.#functions.set(name, run);
    return known === undefined;
  }

  remove(name: string): void {
    this.#functions.delete(name);
  }
}

/** Calls a function. The stack of an error that it throws is written to stderr. */
async function call(run: JobFunction, attempt: AsyncAttempt): Promise<undefined> {
  const { jobId, arguments: args, environment, stdin, timeout, signal, write, progress } = attempt;
  const log = (line: string) => write(`${line}\n`);
  try {
    await run({ jobId, arguments: args, environment, stdin, timeout, signal, log, write, progress });
  } catch (error) {
    if (!signal.aborted && error instanceof Error) void write(`${error.stack}\n`, 'stderr');
    throw error;
  }
}
