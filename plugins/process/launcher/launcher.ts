import { mkdirSync } from 'node:fs';
import type { Socket } from 'node:net';
import { dirname } from 'node:path';
import { encodeMessage, FrameReader } from '../frames.ts';
import type { LauncherCommand, LauncherSettings, RunCommand } from '../messages.ts';
import { openSandboxes } from '../sandbox/open-sandboxes.ts';
import type { Sandboxes } from '../sandbox/sandboxes.ts';
import { recordCleanup, runCleanup } from './cleanups.ts';
import { createLauncherFolder, removeLauncherFolders } from './launcher-folder.ts';
import { Lease } from './lease.ts';
import { PipePool } from './pipe-pool.ts';
import { endDeadLaunchers, registerLauncher } from './register.ts';
import { type JobServices, RunningJob } from './running-job.ts';
import { SandboxKeeper } from './sandbox-keeper.ts';
import { WorkingFolders } from './working-folders.ts';

const leaseRanOut = "The worker's lease ran out.";

/**
 * Runs jobs for one server and ends with it. Commands come over one socket; when that closes, however the server ended,
 * no process of any job is left alive.
 */
export class Launcher {
  readonly #server: Socket;
  readonly #jobs = new Map<number, RunningJob>();
  readonly #waiting: RunningJob[] = [];
  readonly #keeper = new SandboxKeeper();
  readonly #lease = new Lease(() => this.#killAll(leaseRanOut));
  /** The ended jobs that the server has not released. */
  readonly #unreleased = new Map<number, RunningJob>();
  /** Null until the launcher has begun, and where it could not. */
  #services: JobServices | null = null;
  #sandboxes: Sandboxes | null = null;
  #begun: Promise<void> = Promise.resolve();
  /** Resolves when the leftovers of other launchers are removed. */
  #tidied: Promise<unknown> = Promise.resolve();
  /** The commands that arrived before the launcher was ready for them. */
  #early: (() => void)[] = [];
  #starting = false;

  constructor(server: Socket) {
    this.#server = server;
    const reader = new FrameReader();
    server.on('data', (chunk: Buffer) => {
      for (const frame of reader.push(chunk))
        this.#receive(frame.attempt, JSON.parse(frame.payload.toString()) as LauncherCommand);
    });
    server.on('error', () => server.destroy());
    server.once('close', () => void this.#shutDown());
  }

  /** Kills all jobs synchronously and starts no more. */
  killNow(): void {
    this.#waiting.length = 0;
    const pause = new Int32Array(new SharedArrayBuffer(4));
    for (let round = 0; this.#sandboxes?.killAll() && round < 200; round++) Atomics.wait(pause, 0, 0, 5);
  }

  async #shutDown(): Promise<void> {
    this.killNow();
    await this.#begun;
    this.killNow();
    if (this.#services) {
      await Promise.all([this.#services.pipes.close(), this.#tidied, this.#sandboxes?.close()]);
      await removeLauncherFolders(this.#services.settings);
    }
    process.exit(0);
  }

  #receive(attempt: number, message: LauncherCommand): void {
    if (message.command === 'begin') this.#begun = this.#begin(message.settings);
    else if (this.#services) this.#obey(attempt, message, this.#services);
    else this.#early.push(() => this.#receive(attempt, message));
  }

  #obey(attempt: number, message: LauncherCommand, services: JobServices): void {
    const job = this.#jobs.get(attempt);
    switch (message.command) {
      case 'run':
        this.#run(attempt, message, services);
        break;
      case 'stop':
        job?.stop(message.reason);
        break;
      case 'credit':
        job?.credit(message.bytes);
        break;
      case 'release':
        void this.#release(this.#unreleased.get(attempt));
        break;
      case 'lease':
        this.#lease.renew(message.until);
        break;
      case 'close':
        this.#killAll(message.reason);
        break;
    }
  }

  async #begin(settings: LauncherSettings): Promise<void> {
    try {
      this.#services = await this.#prepare(settings);
      this.#services.report(0, { event: 'begun', sandbox: this.#services.sandboxes.name });
      for (const obey of this.#early.splice(0)) obey();
    } catch (error) {
      const { message: reason } = error as Error;
      this.#server.end(encodeMessage(0, { event: 'failed', reason }), () => process.exit(1));
    }
  }

  async #prepare(settings: LauncherSettings): Promise<JobServices> {
    createFolders(settings);
    const onReady = () => this.#startNext();
    const sandboxes = await openSandboxes({ ...settings, onReady });
    this.#sandboxes = sandboxes;
    registerLauncher(settings, sandboxes.cgroup);
    const removeDead = await endDeadLaunchers(dirname(settings.folder));
    this.#tidied = removeDead();
    return {
      settings,
      sandboxes,
      keeper: this.#keeper,
      pipes: new PipePool(`${settings.scratch}/pipes`, onReady),
      folders: new WorkingFolders(settings.folder),
      report: (attempt, event) => this.#server.write(encodeMessage(attempt, event)),
      send: (frame) => this.#server.write(frame),
      ended: (job) => {
        this.#jobs.delete(job.attempt);
        if (!job.command.retainFolder) void this.#release(job);
        else this.#unreleased.set(job.attempt, job);
        // The server may hang, and release nothing.
        if (job.command.retainFolder && job.wasLost) void this.#cleanUp(job);
      },
    };
  }

  #run(attempt: number, command: RunCommand, services: JobServices): void {
    const job = new RunningJob(attempt, command, services);
    this.#jobs.set(attempt, job);
    try {
      if (command.cleanup) recordCleanup(services.settings.folder, attempt, command.cleanup);
    } catch (error) {
      job.stop(`Its cleanup could not be recorded: ${(error as Error).message}.`);
    }
    this.#waiting.push(job);
    this.#startNext();
  }

  async #release(job: RunningJob | undefined): Promise<void> {
    if (!job) return;
    this.#unreleased.delete(job.attempt);
    for (const folder of job.folders) this.#services?.folders.release(folder, job.command.identity);
    if (job.command.cleanup)
      this.#services?.report(job.attempt, { event: 'cleaned', problem: await this.#cleanUp(job) });
  }

  async #cleanUp(job: RunningJob): Promise<string | null> {
    const { cleanup } = job.command;
    if (!cleanup || !this.#services) return null;
    job.cleaning ??= runCleanup(this.#services.settings.folder, job.attempt, cleanup, job.wasKilled);
    return job.cleaning;
  }

  /** Starts waiting jobs one at a time, so that the output and the ends of others are read between two starts. */
  #startNext(): void {
    if (this.#starting || this.#waiting.length === 0) return;
    if (!this.#services?.pipes.isReady || !this.#services.sandboxes.isReady) return;
    this.#starting = true;
    setImmediate(() => {
      this.#starting = false;
      const job = this.#waiting.shift();
      if (this.#lease.expired) job?.abandon(leaseRanOut);
      job?.start();
      this.#startNext();
    });
  }

  #killAll(reason: string): void {
    for (const job of this.#jobs.values()) job.abandon(reason);
    for (const job of this.#unreleased.values()) void this.#cleanUp(job);
  }
}

function createFolders({ folder, scratch }: LauncherSettings): void {
  try {
    createLauncherFolder(folder);
    mkdirSync(scratch, { mode: 0o700 });
  } catch (error) {
    throw new Error(`The folder for jobs could not be created: ${(error as Error).message}.`);
  }
}
