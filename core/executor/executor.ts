import type { Fields } from '../field/field-meta.ts';
import type { Instant, Milliseconds } from '../loop/clock.ts';
import type { ArtifactLimits } from './artifact-limits.ts';

/** What an executor needs to make one attempt. The environment is complete but for what the executor itself adds. */
export interface Attempt {
  readonly jobId: number;
  readonly executable: string;
  /** One argv element each; no shell ever sees them. */
  readonly arguments: readonly string[];
  readonly stdin: string | null;
  readonly environment: Readonly<Record<string, string>>;
  /** How long the attempt may take before it is stopped; null = no limit. */
  readonly timeout: Milliseconds | null;
  /** The template's `executor_options`, already validated against `Executor.options`. */
  readonly options: Readonly<Record<string, unknown>>;
  /** A file in the working directory to keep, relative to it. */
  readonly resultFile: string | null;
  /** Regular expressions (linear-time matching) over paths relative to the working directory. */
  readonly artifacts: readonly { readonly name: string; readonly path: string; readonly type: string }[];
}

export type OutputStream = 'stdout' | 'stderr';

/** What an executor tells while an attempt runs. */
export interface AttemptReport {
  /** The work has really begun. `pid` where there is one. */
  started(details: { readonly pid: number | null }): void;
  /** Bytes as they came, of any encoding. The executor waits for the promise before it sends more of that attempt. */
  output(stream: OutputStream, bytes: Uint8Array): Promise<void> | void;
}

export interface ArtifactFile {
  /** Path relative to the working directory. */
  readonly filename: string;
  readonly contentType: string;
  readonly sha256: string;
  readonly content: Uint8Array;
}

/** How an attempt ended. */
export interface Outcome {
  readonly exitCode: number | null;
  /** Name of the signal that ended it, `SIGKILL` and the like. */
  readonly signal: string | null;
  readonly timedOut: boolean;
  /** It was cut off by no fault of its own: the worker's lease ran out, or what watched over it died. */
  readonly lost?: boolean;
  /** Why, where the exit code does not say it: not found, refused, killed because the lease ran out. */
  readonly reason: string | null;
  readonly finishedAt: Instant;
  readonly files: readonly ArtifactFile[];
}

export interface AttemptHandle {
  /** Settles when nothing of the attempt runs any more and its output was handed over. Never rejects. */
  readonly done: Promise<Outcome>;
  /** Asks it to stop: politely first, by force after the executor's grace. Calling it again does nothing. */
  stop(reason: string): void;
}

/**
 * PORT: a way to run attempts. `start` returns at once, also when the program cannot be started:
 * that is an Outcome with exit code 127 or 126 and a reason. It must not block the event loop.
 */
export interface Executor {
  readonly name: string;
  /** Options that a run template may give it, described with the same field helpers as records. */
  readonly options: Fields;
  start(attempt: Attempt, report: AttemptReport): AttemptHandle;
  /**
   * The worker's lease was renewed: attempts may live that much longer. An executor whose work can outlive
   * this process must end it by itself when that time passes without another call.
   */
  keepAlive?(duration: Milliseconds): void;
  /** Kills everything still running and lets go of resources. */
  close?(): Promise<void>;
}

/**
 * PORT: a way to have attempts made outside. Nothing is started here: whoever does the work claims the job, says from
 * time to time that the attempt lives, and reports what it writes and how it ends (contract §5).
 */
export interface ExternalExecutor {
  readonly name: string;
  /** Options that a run template may give it, described with the same field helpers as records. */
  readonly options: Fields;
  /** How many bytes of output are kept of one attempt. */
  readonly outputLimit: number;
  /** How much is kept of the files that are handed in of one attempt. */
  readonly artifactLimits: ArtifactLimits;
  /** How long an attempt with these options may go without a sign of life before it is lost; null = however long. */
  patience(options: Readonly<Record<string, unknown>>): Milliseconds | null;
}

export type AnyExecutor = Executor | ExternalExecutor;

/** Whether workers of the service start its attempts. */
export function isStartedHere(executor: AnyExecutor): executor is Executor {
  return 'start' in executor;
}
