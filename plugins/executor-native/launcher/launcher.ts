import { mkdirSync } from 'node:fs';
import type { Socket } from 'node:net';
import { encodeMessage, FrameReader } from '../frames.ts';
import type { LauncherCommand, LauncherSettings, RunCommand } from '../messages.ts';
import { removeFolder } from '../remove-folder.ts';
import { killSessions } from '../sessions.ts';
import { createLauncherFolder } from './launcher-folder.ts';
import { Lease } from './lease.ts';
import { PipePool } from './pipe-pool.ts';
import { Register } from './register.ts';
import { type JobServices, RunningJob } from './running-job.ts';
import { SessionKeeper } from './session-keeper.ts';
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
  readonly #keeper = new SessionKeeper();
  readonly #lease = new Lease(() => this.#killAll(leaseRanOut));
  /** The ended jobs whose folders the server still reads. */
  readonly #unreleased = new Map<number, RunningJob>();
  /** Null before `begin`, and where that failed. */
  #services: JobServices | null = null;
  #register: Register | null = null;
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
    const leaders = new Set(this.#keeper.leaders);
    for (const { leader } of this.#jobs.values()) if (leader !== null) leaders.add(leader);
    const pause = new Int32Array(new SharedArrayBuffer(4));
    for (let round = 0; killSessions(leaders) > 0 && round < 200; round++) Atomics.wait(pause, 0, 0, 5);
  }

  async #shutDown(): Promise<void> {
    this.killNow();
    if (this.#services) {
      const { folder, scratch } = this.#services.settings;
      await Promise.all([this.#services.pipes.close(), this.#register?.close()]);
      await Promise.all([removeFolder(folder), removeFolder(scratch)]);
    }
    process.exit(0);
  }

  #receive(attempt: number, message: LauncherCommand): void {
    if (message.command === 'begin') this.#begin(message.settings);
    // A launcher whose `begin` failed receives further commands until the server has read the failure.
    if (message.command === 'begin' || !this.#services) return;
    const job = this.#jobs.get(attempt);
    switch (message.command) {
      case 'run':
        this.#run(attempt, message, this.#services);
        break;
      case 'stop':
        job?.stop(message.reason);
        break;
      case 'credit':
        job?.credit(message.bytes);
        break;
      case 'release':
        this.#release(this.#unreleased.get(attempt));
        break;
      case 'lease':
        this.#lease.renew(message.until);
        break;
      case 'close':
        this.#killAll(message.reason);
        break;
    }
  }

  #begin(settings: LauncherSettings): void {
    const { folder, scratch } = settings;
    try {
      createLauncherFolder(folder);
      mkdirSync(scratch, { mode: 0o700 });
      const register = new Register(folder, scratch);
      this.#register = register;
      register.endPredecessors();
      const pipes = new PipePool(`${scratch}/pipes`, () => this.#startNext());
      this.#services = {
        settings,
        pipes,
        keeper: this.#keeper,
        folders: new WorkingFolders(folder),
        report: (attempt, event) => this.#server.write(encodeMessage(attempt, event)),
        send: (frame) => this.#server.write(frame),
        started: ({ attempt, leader }) => register.add(attempt, leader as number),
        ended: (job) => {
          register.remove(job.attempt);
          this.#jobs.delete(job.attempt);
          if (job.command.retainFolder) this.#unreleased.set(job.attempt, job);
          else this.#release(job);
        },
      };
    } catch (error) {
      const reason = `The folder for jobs could not be created: ${(error as Error).message}.`;
      this.#server.end(encodeMessage(0, { event: 'failed', reason }), () => process.exit(1));
    }
  }

  #run(attempt: number, command: RunCommand, services: JobServices): void {
    const job = new RunningJob(attempt, command, services);
    this.#jobs.set(attempt, job);
    this.#waiting.push(job);
    this.#startNext();
  }

  #release(job: RunningJob | undefined): void {
    if (!job) return;
    this.#unreleased.delete(job.attempt);
    if (job.folder !== null) this.#services?.folders.release(job.folder, job.command.identity);
  }

  /** Starts waiting jobs one at a time, so that the output and the ends of others are read between two starts. */
  #startNext(): void {
    if (this.#starting || this.#waiting.length === 0 || !this.#services?.pipes.isReady) return;
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
  }
}
