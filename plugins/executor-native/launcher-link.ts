import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { encodeMessage, type Frame, FrameKind, FrameReader } from './frames.ts';
import { killAbandoned } from './kill-abandoned.ts';
import type { LauncherSettings, News, Order, RunOrder } from './messages.ts';
import type { NativeAttempt } from './native-attempt.ts';
import { removeFolder } from './remove-folder.ts';

const program = fileURLToPath(new URL('./launcher/main.js', import.meta.url));
/** Forking copies the tables of the memory in use, so a small heap makes jobs start sooner. */
const smallHeap = ['--max-semi-space-size=1', '--optimize-for-size', '--single-threaded', '--no-warnings'];

/** One launcher, from its start to its end, and the attempts that it was given. */
export class LauncherLink {
  readonly #settings: LauncherSettings;
  readonly #attempts = new Map<number, NativeAttempt>();
  readonly #process: ChildProcess;
  /** Undefined when the system had no room for another process. */
  readonly #socket: Socket | undefined;
  readonly #gone: Promise<void>;
  #unable: string | null = null;

  /** `onGone` is called once, when the launcher no longer runs: it can be given nothing more. */
  constructor(settings: LauncherSettings, onGone: () => void) {
    this.#settings = settings;
    this.#process = spawn(process.execPath, [...smallHeap, program], {
      detached: true,
      env: { UV_THREADPOOL_SIZE: '1' },
      stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
    });
    const { promise, resolve } = Promise.withResolvers<string>();
    this.#process.once('error', (error) =>
      resolve(`The launcher of native jobs could not be started: ${error.message}`),
    );
    // Unlike "exit", "close" comes after the last of what it said was read.
    this.#process.once('close', (code, signal) => resolve(`The launcher of native jobs ended (${signal ?? code})`));
    this.#gone = promise.then((reason) => {
      onGone();
      return this.#abandon(reason);
    });
    const reader = new FrameReader();
    this.#socket = this.#process.stdio?.[3] as Socket | undefined;
    this.#socket?.on('data', (chunk: Buffer) => {
      for (const frame of reader.push(chunk)) this.#hear(frame);
    });
    this.#socket?.on('error', () => {});
    this.send(0, { order: 'begin', settings });
  }

  run(number: number, attempt: NativeAttempt, order: RunOrder): void {
    this.#attempts.set(number, attempt);
    this.#hold(true);
    void attempt.done.then(() => {
      this.#attempts.delete(number);
      if (this.#attempts.size === 0) this.#hold(false);
    });
    this.send(number, order);
  }

  send(attempt: number, order: Order): void {
    if (this.#socket?.writable) this.#socket.write(encodeMessage(attempt, order));
  }

  /** Kills everything that still runs and lets the launcher go. */
  async end(reason: string): Promise<void> {
    this.send(0, { order: 'close', reason });
    await Promise.all([...this.#attempts.values()].map((attempt) => attempt.done));
    this.#hold(true);
    this.#socket?.end();
    await this.#gone;
  }

  #hear({ kind, attempt: number, payload }: Frame): void {
    const attempt = this.#attempts.get(number);
    if (kind !== FrameKind.message) {
      attempt?.output(kind === FrameKind.stdout ? 'stdout' : 'stderr', payload);
      return;
    }
    const news = JSON.parse(payload.toString()) as News;
    if (news.news === 'started') attempt?.started(news.pid, news.folder);
    else if (news.news === 'ended') attempt?.ended(news);
    else this.#unable = news.reason;
  }

  /** Nobody watches its jobs any more. */
  async #abandon(reason: string): Promise<void> {
    await killAbandoned(this.#settings.folder, [...this.#attempts.values()]);
    for (const attempt of this.#attempts.values()) {
      if (this.#unable === null) attempt.lost(`${reason}; what it ran was killed.`);
      else attempt.refused(this.#unable);
    }
    await removeFolder(this.#settings.folder);
    await removeFolder(this.#settings.scratch);
  }

  /** While it is held, it keeps this process from ending by itself. */
  #hold(held: boolean): void {
    for (const handle of [this.#process, this.#socket]) held ? handle?.ref() : handle?.unref();
  }
}
