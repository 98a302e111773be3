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
 * Real pipes for the output of jobs. Node would give them sockets, and a socket cannot be opened by name: every
 * `echo … > /dev/stderr` in a script would fail. So pipes are made in advance, by name, with `mkfifo`, and lose
 * their name when they are taken.
 */
export class Pipes {
  readonly #folder: string;
  readonly #onReady: () => void;
  #paths: string[] = [];
  #made = 0;
  #making = false;
  #maker: ChildProcess | null = null;
  #closed = false;
  #impossible = false;

  /** `onReady` is called when `ready` may have become true. */
  constructor(folder: string, onReady: () => void) {
    this.#folder = folder;
    this.#onReady = onReady;
    this.#refill();
  }

  /** Whether a job can be given its two pipes now. */
  get ready(): boolean {
    return this.#impossible || this.#paths.length >= 2;
  }

  /**
   * One pipe for stdout, one for stderr.
   * @returns null where none can be made: sockets have to do.
   * @throws Error with the system's code when there is no room for more open files.
   */
  take(): readonly [PipeEnds, PipeEnds] | null {
    // Where another user can write, entries may be links to anything, which would be written to and given away.
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
      // Someone tidied them away, and the others with them: jobs would wait for ever for what is never made.
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

  /** A file without a name that holds the text, open for reading: unlike a pipe it takes any length at once. */
  fileWith(text: string): number {
    const path = `${this.#folder}/stdin`;
    this.#makeFolder();
    try {
      writeFileSync(path, text, { mode: 0o600, flag: 'wx' });
      return openSync(path, constants.O_RDONLY);
    } finally {
      rmSync(path, { force: true });
    }
  }

  /** Resolves when nothing more is put into the folder. */
  async close(): Promise<void> {
    this.#closed = true;
    const maker = this.#maker;
    if (maker && this.#making) await new Promise((resolve) => maker.once('close', resolve).once('error', resolve));
  }

  get #isOwn(): boolean {
    return isOwnFolder(dirname(this.#folder)) && isOwnFolder(this.#folder);
  }

  /** Also after it was deleted; throws where another user has made something in its place. */
  #makeFolder(): void {
    for (const folder of [dirname(this.#folder), this.#folder])
      if (!isOwnFolder(folder)) mkdirSync(folder, { mode: 0o700 });
  }

  #hasFolder(): boolean {
    try {
      this.#makeFolder();
      return true;
    } catch {
      return false;
    }
  }

  #refill(): void {
    if (this.#closed || this.#making || this.#paths.length > batch / 2) return;
    const program = ['/usr/bin/mkfifo', '/bin/mkfifo'].find((path) => existsSync(path));
    this.#impossible = program === undefined || !this.#hasFolder();
    if (program === undefined || this.#impossible) return;
    this.#making = true;
    const paths = Array.from({ length: batch }, () => `${this.#folder}/${this.#made++}`);
    const done = (made: boolean) => {
      this.#making = false;
      this.#impossible = !made;
      if (made) this.#paths.push(...paths);
      this.#onReady();
    };
    this.#maker = spawn(program, ['-m', '600', ...paths], { stdio: 'ignore', env: {} })
      .once('error', () => done(false))
      .once('exit', (code) => done(code === 0));
  }
}
