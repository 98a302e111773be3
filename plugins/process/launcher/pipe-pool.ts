import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, constants, existsSync, mkdirSync, openSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { startOutside } from '../sandbox/cgroup/next-cgroup.ts';
import { isOwnFolder } from './launcher-folder.ts';

/** Both ends of a pipe, as file descriptors. The read end does not block. */
interface PipeEnds {
  readonly readEnd: number;
  readonly writeEnd: number;
}

const batch = 128;

/**
 * A pool of named pipes for the output of jobs, created in advance with `mkfifo`. A pipe loses its name when it is taken. The
 * pipes of Node are sockets, which no program can open by name: every `echo … > /dev/stderr` in a script would fail.
 */
export class PipePool {
  readonly #folder: string;
  readonly #onReady: () => void;
  #paths: string[] = [];
  #created = 0;
  #isCreating = false;
  #mkfifo: ChildProcess | null = null;
  #closed = false;
  #unavailable = false;

  /** @param onReady called when `isReady` may have become true. */
  constructor(folder: string, onReady: () => void) {
    this.#folder = folder;
    this.#onReady = onReady;
    this.#refill();
  }

  /** Whether a job can start now: two pipes exist for it, or none can be created and it gets sockets. */
  get isReady(): boolean {
    return this.#unavailable || this.#paths.length >= 2;
  }

  /**
   * Takes one pipe for stdout and one for stderr.
   * @returns null where no pipes can be created; the job gets sockets instead.
   * @throws Error with an errno code when too many files are open.
   */
  take(): readonly [PipeEnds, PipeEnds] | null {
    // Another user who can write to the folder could replace pipes by links to any file, which would be overwritten.
    if (!this.#isOwn) this.#paths = [];
    const paths = this.#paths.splice(-2);
    this.#refill();
    const open: number[] = [];
    try {
      for (const path of paths) {
        open.push(openSync(path, constants.O_RDONLY | constants.O_NONBLOCK));
        open.push(openSync(path, constants.O_WRONLY));
        unlinkSync(path);
      }
    } catch (error) {
      for (const fd of open) closeSync(fd);
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      // The folder was cleaned up, so the other pipes are gone as well.
      this.#paths = [];
      this.#refill();
      return null;
    }
    const endsAt = (index: number): PipeEnds => ({
      readEnd: open[index] as number,
      writeEnd: open[index + 1] as number,
    });
    return paths.length === 2 ? [endsAt(0), endsAt(2)] : null;
  }

  /** Opens an unnamed file with the text for the stdin of a job. Unlike a pipe it takes a text of any length at once. */
  openStdin(text: string): number {
    const path = `${this.#folder}/stdin`;
    this.#createFolder();
    try {
      writeFileSync(path, text, { mode: 0o600, flag: 'wx' });
      return openSync(path, constants.O_RDONLY);
    } finally {
      rmSync(path, { force: true });
    }
  }

  /** Creates no more pipes. Resolves when the last `mkfifo` has ended, so that the folder can be deleted. */
  async close(): Promise<void> {
    this.#closed = true;
    const mkfifo = this.#mkfifo;
    if (mkfifo && this.#isCreating)
      await new Promise((resolve) => mkfifo.once('close', resolve).once('error', resolve));
  }

  get #isOwn(): boolean {
    return isOwnFolder(dirname(this.#folder)) && isOwnFolder(this.#folder);
  }

  /** Creates the folder, also after it was deleted. @throws Error where another user has created a file in its place. */
  #createFolder(): void {
    for (const folder of [dirname(this.#folder), this.#folder])
      if (!isOwnFolder(folder)) mkdirSync(folder, { mode: 0o700 });
  }

  #hasFolder(): boolean {
    try {
      this.#createFolder();
      return true;
    } catch {
      return false;
    }
  }

  #refill(): void {
    if (this.#closed || this.#isCreating || this.#paths.length > batch / 2) return;
    const program = ['/usr/bin/mkfifo', '/bin/mkfifo'].find((path) => existsSync(path));
    this.#unavailable = program === undefined || !this.#hasFolder();
    if (program === undefined || this.#unavailable) return;
    this.#isCreating = true;
    const paths = Array.from({ length: batch }, () => `${this.#folder}/${this.#created++}`);
    const done = (succeeded: boolean) => {
      this.#isCreating = false;
      this.#unavailable = !succeeded;
      if (succeeded) this.#paths.push(...paths);
      this.#onReady();
    };
    this.#mkfifo = startOutside(() => spawn(program, ['-m', '600', ...paths], { stdio: 'ignore', env: {} }))
      .once('error', () => done(false))
      .once('exit', (code) => done(code === 0));
  }
}
