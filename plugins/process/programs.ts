import { randomUUID } from 'node:crypto';
import { accessSync, constants } from 'node:fs';
import { uptime } from 'node:os';
import { type AttemptReport, type GivenFile, type Milliseconds, outputCut } from '@horarium/core/plugin';
import { runWithFiles } from './given-files.ts';
import { LauncherLink } from './launcher-link.ts';
import { type LauncherSettings, launcherFolderPrefix, type RunCommand } from './messages.ts';
import { type Collect, ProgramRun, refusedRun } from './program-run.ts';
import type { SandboxName } from './sandbox/sandbox.ts';
import { strictest, unrestricted } from './sandbox/sandbox-options.ts';

/** How the programs of one launcher run. */
export interface ProgramsSettings
  extends Pick<LauncherSettings, 'folder' | 'sandbox' | 'sandboxOptions' | 'maxOutput' | 'executables'> {
  /** What they are, as sentences name them: `native jobs`. */
  readonly jobs: string;
}

/** A program to run. What is left out has its default: no input, no limits, no files and no cleanup. */
export type ProgramToRun = Pick<RunCommand, 'executable' | 'arguments' | 'environment'> & Partial<RunCommand>;

export interface ProgramOptions {
  /** Reads the files that it leaves, before its working directory is removed. @default none are read */
  readonly collect?: Collect | null;
  /** Files that it may read. @default none */
  readonly files?: readonly GivenFile[];
  /** Whether its progress file is read while it runs. @default false */
  readonly reportsProgress?: boolean;
}

const defaults = {
  command: 'run',
  stdin: null,
  timeout: null,
  grace: 0,
  identity: null,
  directory: null,
  ownHome: false,
  inputs: null,
  retainFolder: false,
  cleanup: null,
} as const;

/** The precision of the lease: programs may be killed that much too early when it is no longer renewed. */
const leaseStep: Milliseconds = 250;

/**
 * Runs programs by a launcher, a small process of its own, so that starting programs never blocks this process, and so that
 * they are killed when it dies.
 */
export class Programs {
  readonly #settings: ProgramsSettings;
  #link: LauncherLink | null = null;
  #last = 0;
  #leasedUntil: number | null = null;
  /** The end of the lease by the clock of this process, which is cheaper to read than the time since the machine started. */
  #leasedUntilHere = Number.NEGATIVE_INFINITY;
  /** Why no program is started any more; null = they are. */
  #refusal: string | null = null;

  constructor(settings: ProgramsSettings) {
    this.#settings = settings;
  }

  /**
   * Starts the launcher ahead of the first program.
   * @returns how the processes of programs are kept together.
   * @throws Error with a sentence when the sandbox that was asked for cannot be had here.
   */
  async prepare(): Promise<SandboxName> {
    if (this.#refusal !== null) throw new Error(this.#refusal);
    return this.#launcher().begun;
  }

  run(
    program: ProgramToRun,
    report: AttemptReport,
    { collect = null, files = [], reportsProgress = false }: ProgramOptions = {},
  ): ProgramRun {
    if (this.#refusal !== null) return refusedRun(report, this.#refusal);
    const number = ++this.#last;
    const link = this.#launcher();
    const sandboxOptions = strictest(this.#settings.sandboxOptions, program.sandboxOptions ?? unrestricted);
    const command = { ...defaults, ...program, sandboxOptions };
    const owner = command.identity?.uid ?? null;
    const run = new ProgramRun(report, { collect, reportsProgress, owner }, (message) => link.send(number, message));
    if (files.length === 0) link.run(number, run, command);
    else void runWithFiles(link, number, run, command, files);
    return run;
  }

  /** Renews the lease of the launcher, but only by steps that make a difference, so it may be called at any rate. */
  keepAlive(duration: Milliseconds): void {
    const untilHere = performance.now() + duration;
    if (Math.abs(untilHere - this.#leasedUntilHere) < leaseStep) return;
    this.#leasedUntilHere = untilHere;
    this.#leasedUntil = uptime() + duration / 1000;
    this.#link?.send(0, { command: 'lease', until: this.#leasedUntil });
  }

  get isClosed(): boolean {
    return this.#refusal !== null;
  }

  /** Kills what still runs, and ends the launcher. None is started any more, because a start may go on meanwhile. */
  async close(): Promise<void> {
    this.#refusal = `No ${this.#settings.jobs} are started any more: the worker is shutting down.`;
    await this.#link?.end('The worker was shut down.');
  }

  #launcher(): LauncherLink {
    if (this.#link) return this.#link;
    const { folder: parent, jobs, ...settings } = this.#settings;
    const launcher = `${launcherFolderPrefix}${randomUUID()}`;
    const memory = isWritable('/dev/shm') ? '/dev/shm' : parent;
    const scratch = `${memory}/${launcher}${parent.startsWith(memory) ? '-scratch' : ''}`;
    const folder = `${parent}/${launcher}`;
    const link = new LauncherLink(
      { ...settings, launcher, folder, scratch, outputCut: outputCut(settings.maxOutput) },
      jobs,
      () => {
        if (this.#link === link) this.#link = null;
      },
    );
    this.#link = link;
    if (this.#leasedUntil !== null) link.send(0, { command: 'lease', until: this.#leasedUntil });
    return link;
  }
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
