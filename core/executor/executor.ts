import { conflict } from '../errors.ts';
import type { Fields, ValueOf } from '../field/field-meta.ts';
import type { Instant, Milliseconds } from '../loop/clock.ts';
import type { Executable, ForbiddenVariables } from '../resource/record-services.ts';
import type { RowValues } from '../store/table.ts';
import type { AgentExecutor } from './agent-executor.ts';
import type { AttemptLimits } from './attempt-limits.ts';
import type { AttemptProgress } from './attempt-progress.ts';

/** The options that a run template gives its executor; those it leaves out are absent. */
export type GivenOptions<F extends Fields> = { readonly [K in keyof F]?: ValueOf<F[K]> };

/** A file of another job that an attempt is given. */
export interface GivenFile {
  /**
   * `@file:ID/NAME`, which stands for the path of the file in arguments and in values of the environment: the executor
   * replaces it by the path at which the program finds the file.
   */
  readonly mark: string;
  /** Returns its content in pieces. @throws Error with a sentence when it is no longer stored. */
  content(): AsyncIterable<Uint8Array>;
}

/** An attempt as its executor receives it. The environment is complete but for what the executor itself adds. */
export interface Attempt<F extends Fields = Fields> {
  readonly jobId: number;
  readonly executable: string;
  /** One argv element each; no shell ever sees them. */
  readonly arguments: readonly string[];
  readonly stdin: string | null;
  readonly environment: Readonly<Record<string, string>>;
  /** The time that the attempt may take before it is stopped; null = no limit. */
  readonly timeout: Milliseconds | null;
  /** The template's `executor_options`, validated against `Executor.options`. */
  readonly options: GivenOptions<F>;
  /**
   * The user of the operating system that the programs of its company run as (`run_as` of a Company); null = the executor
   * chooses. An executor that starts programs rejects an attempt whose program it cannot run as that user.
   */
  readonly runAs: string | null;
  /** Files that the program may read, but not keep; only executors that take files get any. @default none */
  readonly files?: readonly GivenFile[];
  /** The container image that holds the program (`oci_image` of its App); null = none is named. */
  readonly image: string | null;
  /** A file to store, relative to the working directory. */
  readonly resultFile: string | null;
  /** Files to store: regular expressions (linear-time matching) over paths relative to the working directory. */
  readonly artifacts: readonly {
    readonly name: string;
    readonly path: string;
    /** The media type of these files; when it is none, their names decide. */
    readonly type?: string | null | undefined;
  }[];
}

export const outputStreams = ['stdout', 'stderr'] as const;
export type OutputStream = (typeof outputStreams)[number];

/** Takes what an executor reports while an attempt runs. */
export interface AttemptReport {
  /** Reports that the program runs, with its `pid` where there is one. */
  started(details: { readonly pid: number | null }): void;
  /**
   * Reports output as it came, in any encoding. The executor waits for the promise before it sends more of that
   * attempt.
   * @param cut whether the bytes are not output, but a line in the place of all further output, which is dropped. What the
   *   streams ended with may be the beginning of a secret, which is masked then.
   */
  output(stream: OutputStream, bytes: Uint8Array, cut?: boolean): Promise<void> | void;
  /** Reports how far the attempt is. The latest one counts, so that it may be called at any rate. @default it is dropped */
  progress?(progress: AttemptProgress): void;
}

/** A file that an attempt left, with its content. */
export interface ArtifactFile {
  /** Path relative to the working directory. */
  readonly filename: string;
  /** A media type without parameters. */
  readonly contentType: string;
  readonly sha256: string;
  readonly content: Uint8Array;
}

/** The result of an attempt as its executor reports it; whether that is a success is decided elsewhere. */
export interface AttemptResult {
  readonly exitCode: number | null;
  /** Name of the signal that ended it, `SIGKILL` and the like. */
  readonly signal: string | null;
  readonly timedOut: boolean;
  /** Whether it was cut off by no fault of its own: the worker's lease ran out, or the process that watched it died. */
  readonly lost?: boolean;
  /**
   * The reason of the end where the exit code does not tell it: not found, refused, killed because the lease ran out.
   */
  readonly reason: string | null;
  /** The most memory that its processes had together, in bytes; null or absent where it was not measured. */
  readonly peakMemory?: number | null;
  readonly finishedAt: Instant;
  readonly files: readonly ArtifactFile[];
}

export interface AttemptHandle {
  /** Settles when nothing of the attempt runs any more and its output was handed over. Never rejects. */
  readonly done: Promise<AttemptResult>;
  /** Stops the attempt: asks it to end, and kills it after the executor's grace. Calling it again does nothing. */
  stop(reason: string): void;
}

/**
 * PORT: a way to run attempts. `start` returns at once, also when the program cannot be started:
 * that is a result with exit code 127 or 126 and a reason. It must not block the event loop.
 */
export interface Executor<F extends Fields = Fields> {
  readonly name: string;
  /** The options that a run template may give it, described with the same field helpers as records. */
  readonly options: F;
  /**
   * Variables of the environment that no App and no credential type may declare, because their values would choose code that
   * its programs load or run. @default none
   */
  readonly forbiddenVariables?: readonly ForbiddenVariables[];
  /**
   * Whether what an App runs is of a kind of its own: a URL, a program inside an image. Jobs of such an App run by the
   * executors that say so and by no others, unless the App names its `executors`. It is asked when records are saved and
   * when jobs start, so it must not depend on the host. @default it runs programs that are named, of Apps without an image
   */
  recognizes?(app: Executable): boolean;
  /**
   * Returns the URL that a job is sent to, of the executable and the arguments before or after their placeholders are
   * replaced. Values of one job, or of an event, must not change its origin where the job gets secrets, and secrets of
   * a template are not kept under another origin. @default jobs are sent nowhere
   */
  addressOf?(app: Executable): string;
  /** Whether it hands the files of an attempt over, and removes them when the attempt has ended. @default false */
  readonly takesFiles?: boolean;
  start(attempt: Attempt<F>, report: AttemptReport): AttemptHandle;
  /**
   * Returns why jobs with these options, of a company with this `run_as`, would not be started, as the end of a sentence; null =
   * they would, as far as the settings of this host say. It must not block the event loop.
   */
  refuse?(options: RowValues, runAs: string | null): string | null;
  /** Returns the user that programs run as where neither the company nor the template names one; null = none is known. */
  usualUser?(): string | null;
  /**
   * Returns why the programs of a company cannot run as that user, to complete the message `run_as cannot be NAME: …`; null =
   * they can. An executor that knows no users has no such method.
   */
  userRefusal?(user: string): string | null;
  /**
   * Returns why a program could not be started on this machine, as a sentence; null = it could. It is asked when an App or
   * a template is saved, to warn: the job may run on another machine. It must not block the event loop, nor take long. An
   * executor whose programs are elsewhere has no such method.
   */
  missingProgram?(executable: string): Promise<string | null>;
  /**
   * Reports that the worker's lease was renewed, so that attempts may live that much longer. An executor whose work can
   * outlive this process sees to it that the work ends once `duration` has passed without another call.
   */
  keepAlive?(duration: Milliseconds): void;
  /** Kills everything that still runs and releases its resources. */
  close?(): Promise<void>;
}

/**
 * PORT: a way to have attempts run elsewhere. The service starts nothing: an external worker claims the job, sends
 * heartbeats, and reports the output and the end of the attempt.
 */
export interface ExternalExecutor<F extends Fields = Fields> {
  readonly name: string;
  /** The options that a run template may give it, described with the same field helpers as records. */
  readonly options: F;
  readonly limits: AttemptLimits;
  /** Returns how long an attempt with these options may go without a heartbeat before it is lost; null = forever. */
  heartbeatTimeout(options: GivenOptions<F>): Milliseconds | null;
  /** Returns the media type that a file's name suggests, for reported files that come without one. */
  contentTypeOf(filename: string): string;
}

export type AnyExecutor = Executor | ExternalExecutor | AgentExecutor;

/** Lets the compiler type an executor's `attempt.options` by the options that it describes. */
export function defineExecutor<const F extends Fields>(executor: Executor<F>): Executor<F> {
  return executor;
}

/** Lets the compiler infer the type of the options that `heartbeatTimeout` of an external executor receives. */
export function defineExternalExecutor<const F extends Fields>(executor: ExternalExecutor<F>): ExternalExecutor<F> {
  return executor;
}

/** Whether workers of the service, or agents, start the attempts of an executor on their own machine. */
export function isStartedHere(executor: object): executor is Executor {
  return !isExternalExecutor(executor) && !isAgentExecutor(executor);
}

/** Whether the attempts of an executor run elsewhere, by programs that claim them one by one. */
export function isExternalExecutor(executor: object): executor is ExternalExecutor {
  return 'heartbeatTimeout' in executor;
}

/** Whether the attempts of an executor run on agents. */
export function isAgentExecutor(executor: object): executor is AgentExecutor {
  return 'assignment' in executor;
}

/**
 * Returns why the programs of a company cannot run as that user of the operating system, by any of the executors; null =
 * they can.
 */
export function userRefusal(executors: readonly AnyExecutor[], user: string): string | null {
  const switching = executors.filter(isStartedHere).filter((executor) => executor.userRefusal !== undefined);
  if (switching.length === 0) return 'no executor here runs programs as users of the operating system';
  return switching.map((executor) => executor.userRefusal?.(user) ?? null).find((refusal) => refusal !== null) ?? null;
}

/** Returns the executors by name. @throws HorariumError `conflict` when two have the same name. */
export function executorsByName(executors: readonly AnyExecutor[]): ReadonlyMap<string, AnyExecutor> {
  const byName = new Map(executors.map((executor) => [executor.name, executor]));
  for (const executor of executors)
    if (byName.get(executor.name) !== executor) throw conflict(`Two executors have the name ${executor.name}.`);
  return byName;
}

/**
 * Splits the executors by name into those whose attempts workers of the service start, those whose attempts run
 * elsewhere, and those whose attempts run on agents.
 */
export function splitExecutors(executors: ReadonlyMap<string, AnyExecutor>) {
  const startedHere = new Map<string, Executor>();
  const external = new Map<string, ExternalExecutor>();
  const agents = new Map<string, AgentExecutor>();
  for (const [name, executor] of executors) {
    if (isStartedHere(executor)) startedHere.set(name, executor);
    else if (isExternalExecutor(executor)) external.set(name, executor);
    else agents.set(name, executor);
  }
  return { startedHere, external, agents };
}
