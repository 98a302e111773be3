import type { ArtifactFile, AttemptHandle, AttemptReport, AttemptResult, OutputStream } from '@horarium/core/plugin';
import type { Ended, LauncherCommand } from './messages.ts';
import { ProgressFile } from './working-folder/progress-file.ts';

/** Collects the artifacts, with a sentence for each that was not stored. */
export type Collect = (workingFolder: string) => Promise<{ files: readonly ArtifactFile[]; notes: readonly string[] }>;

/** The ways in which a program leaves something in its working directory. */
export interface ProgramFiles {
  /** Reads the files that it leaves, before its working directory is removed; null = none are read. */
  readonly collect: Collect | null;
  /** Whether its progress file is read. */
  readonly reportsProgress: boolean;
  /** The id of the user that its files belong to; null = that of this process. */
  readonly owner: number | null;
}

/** The server's view of one program that the launcher runs. */
export class ProgramRun implements AttemptHandle {
  readonly done: Promise<AttemptResult>;
  readonly #cleaned = Promise.withResolvers<string | null>();
  readonly #report: AttemptReport;
  readonly #send: (command: LauncherCommand) => void;
  readonly #files: ProgramFiles;
  readonly #settle: (outcome: AttemptResult) => void;
  readonly #output: { stream: OutputStream; bytes: Uint8Array; cut: boolean }[] = [];
  #pid: number | null = null;
  #folder: string | null = null;
  #progress: ProgressFile | null = null;
  #ended: Ended | null = null;
  #lost = false;
  #delivering = false;
  #uncredited = 0;
  #failure: string | null = null;
  #stopReason: string | null = null;

  constructor(report: AttemptReport, files: ProgramFiles, send: (command: LauncherCommand) => void) {
    this.#report = report;
    this.#files = files;
    this.#send = send;
    const { promise, resolve } = Promise.withResolvers<AttemptResult>();
    this.done = promise;
    this.#settle = resolve;
  }

  /** Why it was asked to stop; null = it was not. */
  get stopReason(): string | null {
    return this.#stopReason;
  }

  stop(reason: string): void {
    this.#stopReason ??= reason;
    if (!this.#ended) this.#send({ command: 'stop', reason });
  }

  /**
   * Lets the launcher run the cleanup of the run, which has ended and was started with `retainFolder`.
   * @returns why it failed; null = it did not, or is left to the next launcher.
   */
  release(): Promise<string | null> {
    this.#send({ command: 'release' });
    return this.#cleaned.promise;
  }

  /** Resolves when the launcher reports nothing more of it. */
  async over(hasCleanup: boolean): Promise<void> {
    await (hasCleanup ? this.#cleaned.promise : this.done);
  }

  cleaned(problem: string | null): void {
    this.#cleaned.resolve(problem);
  }

  started(pid: number, folder: string): void {
    this.#pid = pid;
    this.#folder = folder;
    void this.#guard(() => this.#report.started({ pid }));
  }

  /** Reads its progress file, and reports what has changed. Never rejects. */
  async readProgress(): Promise<void> {
    const { reportsProgress, owner } = this.#files;
    if (!reportsProgress || this.#folder === null || this.#ended) return;
    this.#progress ??= new ProgressFile(this.#folder, owner, (progress) => this.#report.progress?.(progress));
    await this.#progress.read();
  }

  /** @param cut whether the bytes are a line in the place of output that is dropped. */
  output(stream: OutputStream, bytes: Uint8Array, cut: boolean): void {
    this.#output.push({ stream, bytes, cut });
    if (!this.#delivering) void this.#deliver();
  }

  ended(ended: Ended): void {
    if (this.#ended) return;
    this.#ended = ended;
    if (!this.#delivering) void this.#deliver();
  }

  /** Ends the attempt before it was started. */
  refused(reason: string): void {
    this.#end({ exitCode: 126, signal: null, lost: false, reason });
  }

  /** Ends the attempt after its launcher died and its processes were killed. */
  lost(reason: string): void {
    this.#lost = true;
    const signal = this.#pid === null ? null : 'SIGKILL';
    this.#end({ exitCode: null, signal, lost: true, reason });
  }

  #end(how: Pick<Ended, 'exitCode' | 'signal' | 'lost' | 'reason'>): void {
    this.ended({ event: 'ended', timedOut: false, peakMemory: null, finishedAt: Date.now(), ...how });
  }

  /** Delivers output one chunk at a time, and credits the launcher for what was stored. */
  async #deliver(): Promise<void> {
    this.#delivering = true;
    for (let piece = this.#output.shift(); piece; piece = this.#output.shift()) {
      const { stream, bytes, cut } = piece;
      await this.#guard(() => this.#report.output(stream, bytes, cut));
      this.#credit(bytes.length);
    }
    this.#delivering = false;
    if (this.#ended) await this.#finish(this.#ended);
  }

  async #finish(ended: Ended): Promise<void> {
    if (this.#progress?.isThere) await this.#progress.read();
    const { files, notes } = await this.#collectFiles();
    for (const note of notes) {
      const line = Buffer.from(`[horarium: ${note}]\n`);
      await this.#guard(() => this.#report.output('stderr', line));
    }
    const { event: _, ...result } = ended;
    this.#settle({ ...result, reason: ended.reason ?? this.#failure, files });
  }

  async #collectFiles(): Promise<Awaited<ReturnType<Collect>>> {
    const { collect } = this.#files;
    if (!collect) return { files: [], notes: [] };
    // A program that never started left no files.
    const nothing = { files: [], notes: [] };
    const collected = this.#folder === null || this.#lost ? nothing : await collect(this.#folder);
    this.#send({ command: 'release' });
    return collected;
  }

  /** Credits the launcher in large steps: most jobs end before the first one. */
  #credit(bytes: number): void {
    this.#uncredited += bytes;
    if (this.#ended || this.#uncredited < creditStep) return;
    this.#send({ command: 'credit', bytes: this.#uncredited });
    this.#uncredited = 0;
  }

  /** Runs a report. When it fails, such as on a full disk, the job runs on, and its result names the failure. */
  async #guard(report: () => Promise<void> | void): Promise<void> {
    try {
      await report();
    } catch (error) {
      this.#failure ??= `Its output could not be stored: ${error instanceof Error ? error.message : error}`;
    }
  }
}

const creditStep = 32 * 1024;

/** The run of a program that is not started. */
export function refusedRun(report: AttemptReport, reason: string): ProgramRun {
  const run = new ProgramRun(report, { collect: null, reportsProgress: false, owner: null }, () => {});
  run.refused(reason);
  run.cleaned(null);
  return run;
}
