import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Milliseconds } from '@horarium/core/plugin';
import { encodeMessage, type Frame, FrameKind, FrameReader } from './frames.ts';
import { removeLauncherFolders } from './launcher/launcher-folder.ts';
import { launcherOf } from './launcher/register.ts';
import type { LauncherCommand, LauncherEvent, LauncherSettings, RunCommand } from './messages.ts';
import type { ProgramRun } from './program-run.ts';
import type { SandboxName } from './sandbox/sandbox.ts';
import { reap } from './sandbox/survivors.ts';

/** How often the progress files of running programs are read. One that ends sooner costs no look. */
const progressInterval: Milliseconds = 1000;

const program = fileURLToPath(import.meta.resolve('#plugins/process/launcher/main'));
/**
 * Forking copies page tables, so a small heap makes jobs start sooner. The optimizing compiler takes 5 MB of pages of Node.js, and
 * makes no launcher faster.
 */
const smallHeap = ['--max-semi-space-size=1', '--optimize-for-size', '--single-threaded', '--no-opt', '--no-warnings'];

/** A launcher process from its start to its end, and the attempts that it runs. */
export class LauncherLink {
  readonly #settings: LauncherSettings;
  readonly #attempts = new Map<number, ProgramRun>();
  readonly #process: ChildProcess;
  /** Undefined when the process could not be started. */
  readonly #socket: Socket | undefined;
  readonly #exited: Promise<void>;
  readonly #begun = Promise.withResolvers<SandboxName>();
  #failure: string | null = null;
  #looking: NodeJS.Timeout | undefined;
  #isReadingProgress = false;

  /**
   * @param jobs what it runs, as sentences name it.
   * @param onExit called once, when the launcher no longer runs and can take no more attempts.
   */
  constructor(settings: LauncherSettings, jobs: string, onExit: () => void) {
    this.#settings = settings;
    this.#process = spawn(process.execPath, [...smallHeap, program], {
      detached: true,
      env: { UV_THREADPOOL_SIZE: '1' },
      stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
    });
    const { promise, resolve } = Promise.withResolvers<string>();
    this.#process.once('error', ({ message }) => resolve(`The launcher of ${jobs} could not be started: ${message}`));
    // Unlike "exit", "close" comes after its last message was read.
    this.#process.once('close', (code, signal) => resolve(`The launcher of ${jobs} ended (${signal ?? code})`));
    this.#exited = promise.then((reason) => {
      onExit();
      this.#begun.reject(new Error(this.#failure ?? `${reason}.`));
      return this.#abandon(reason);
    });
    // Only those who wait for it need to hear of the failure.
    this.#begun.promise.catch(() => {});
    const reader = new FrameReader();
    this.#socket = this.#process.stdio?.[3] as Socket | undefined;
    this.#socket?.on('data', (chunk: Buffer) => {
      for (const frame of reader.push(chunk)) this.#receive(frame);
    });
    this.#socket?.on('error', () => {});
    this.send(0, { command: 'begin', settings });
  }

  /**
   * How the processes of jobs are kept together, once the launcher is ready for them.
   * @throws Error with a sentence when the launcher could not begin.
   */
  get begun(): Promise<SandboxName> {
    return this.#begun.promise;
  }

  /** The folder of the launcher, once it has begun. */
  get folder(): string {
    return this.#settings.folder;
  }

  run(number: number, attempt: ProgramRun, command: RunCommand): void {
    this.#attempts.set(number, attempt);
    this.#looking ??= setInterval(() => void this.#readProgress(), progressInterval).unref();
    this.#keepProcessAlive(true);
    void attempt.over(command.cleanup !== null).then(() => {
      this.#attempts.delete(number);
      if (this.#attempts.size > 0) return;
      this.#keepProcessAlive(false);
      clearInterval(this.#looking);
      this.#looking = undefined;
    });
    this.send(number, command);
  }

  send(attempt: number, command: LauncherCommand): void {
    if (this.#socket?.writable) this.#socket.write(encodeMessage(attempt, command));
  }

  /** Kills all jobs that still run, and ends the launcher. */
  async end(reason: string): Promise<void> {
    this.send(0, { command: 'close', reason });
    await Promise.all([...this.#attempts.values()].map((attempt) => attempt.done));
    this.#keepProcessAlive(true);
    this.#socket?.end();
    await this.#exited;
  }

  #receive({ kind, attempt: number, payload }: Frame): void {
    const attempt = this.#attempts.get(number);
    if (kind !== FrameKind.message) {
      const isStdout = kind === FrameKind.stdout || kind === FrameKind.stdoutCut;
      attempt?.output(isStdout ? 'stdout' : 'stderr', payload, kind >= FrameKind.stdoutCut);
      return;
    }
    const message = JSON.parse(payload.toString()) as LauncherEvent;
    if (message.event === 'begun') this.#begun.resolve(message.sandbox);
    else if (message.event === 'started') attempt?.started(message.pid, message.folder);
    else if (message.event === 'ended') attempt?.ended(message);
    else if (message.event === 'cleaned') attempt?.cleaned(message.problem);
    else this.#failure = message.reason;
  }

  async #readProgress(): Promise<void> {
    if (this.#isReadingProgress) return;
    this.#isReadingProgress = true;
    for (const attempt of this.#attempts.values()) await attempt.readProgress();
    this.#isReadingProgress = false;
  }

  /** Kills the jobs of a launcher that has exited, and ends their attempts. */
  async #abandon(reason: string): Promise<void> {
    const { launcher, folder } = this.#settings;
    await reap({ launcher, cgroup: launcherOf(folder)?.cgroup ?? null });
    for (const attempt of this.#attempts.values()) {
      if (this.#failure === null) attempt.lost(`${reason}; its jobs were killed.`);
      else attempt.refused(this.#failure);
    }
    await removeLauncherFolders(this.#settings);
    for (const attempt of this.#attempts.values()) attempt.cleaned(null);
  }

  /** Prevents Node from exiting by itself while jobs run. */
  #keepProcessAlive(alive: boolean): void {
    for (const handle of [this.#process, this.#socket]) alive ? handle?.ref() : handle?.unref();
  }
}
