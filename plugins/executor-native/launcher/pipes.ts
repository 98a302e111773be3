import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, constants, existsSync, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isOwnFolder } from './launcher-folder.ts';

/** Both ends of a pipe, as file descriptors. The reading end does not block. */
interface PipeEnds {
  readonly reading: number;
  readonly writing: number;
}

const batch = 128;

/**
 * A pool of named pipes for the output of jobs, created in advance with `mkfifo`; a pipe loses its name when it is taken.
 * Node would give jobs sockets, which cannot be opened by name: every `echo … > /dev/stderr` in a script would fail.
 */
export class Pipes {
  readonly #folder: string;
  readonly #onReady: () => void;
  #paths: string[] = [];
  #created = 0;
  #isCreating = false;
  #mkfifo: ChildProcess | null = null;
  #closed = false;
  #unavailable = false;

  /** @param onReady called when `ready` may have become true. */
  constructor(folder: string, onReady: () => void) {
    this.#folder = folder;
    this.#onReady = onReady;
    this.#refill();
  }

  /** Whether a job can start now: its two pipes exist, or pipes cannot be created at all. */
  get ready(): boolean {
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
      }
    } catch (error) {
      for (const fd of open) closeSync(fd);
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      // The folder was cleaned up, so the other pipes are gone as well.
      this.#paths = [];
      this.#refill();
      return null;
    } finally {
      for (const path of paths) rmSync(path, { force: true });
    }
    const [reading, writing, reading2, writing2] = open as [number, number, number, number];
    return paths.length === 2
      ? [
          { reading, writing },
          { reading: reading2, writing: writing2 },
        ]
      : null;
  }

  /** Opens an unnamed file with that text for reading. Unlike a pipe it takes a text of any length at once. */
  fileWith(text: string): number {
    const path = `${this.#folder}/stdin`;
    this.#createFolder();
    try {
      writeFileSync(path, text, { mode: 0o600, flag: 'wx' });
      return openSync(path, constants.O_RDONLY);
    } finally {
      rmSync(path, { force: true });
    }
  }

  /** Resolves when no more pipes are being created in the folder. */
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
    this.#mkfifo = spawn(program, ['-m', '600', ...paths], { stdio: 'ignore', env: {} })
      .once('error', () => done(false))
      .once('exit', (code) => done(code === 0));
  }
}
