import { randomUUID } from 'node:crypto';
import { promises as fs, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Milliseconds } from '../loop/clock.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';

const ending = /\.[0-9a-f-]{36}\.draft$/;
/** How many bytes of the name of its file the name of a draft has. */
const maxNameBytes = 200;
/** How long after its last write a draft is no longer in use. */
const lifetime: Milliseconds = 60 * 60_000;
/** After how many characters the disk takes what was written, so that it is not busy with all of it at once. */
const syncLength = 8 * 1024 * 1024;

type IsOurs = (name: string, draft: string) => boolean | Promise<boolean>;

/**
 * A file that has another name until it is complete: every reader sees the whole of it, and a process that is killed leaves
 * a draft, which the next one removes after an hour.
 */
export class DraftFile implements AsyncDisposable {
  readonly #path: string;
  readonly #draft: string;
  readonly #file: fs.FileHandle;
  #unsynced = 0;

  private constructor(path: string, draft: string, file: fs.FileHandle) {
    this.#path = path;
    this.#draft = draft;
    this.#file = file;
  }

  /** Returns the name of the file that a draft is of, or the begin of a long one; null for the name of no draft. */
  static nameOf(draft: string): string | null {
    return ending.test(draft) ? draft.replace(ending, '') : null;
  }

  /**
   * @param isOurs whether an old draft is removed, by the name of its file and its own path.
   * @param mode who may read and write the file, less what the umask takes. @default its owner alone
   */
  static async open(path: string, isOurs: IsOurs, mode = 0o600): Promise<DraftFile> {
    await removeOldDrafts(dirname(path), isOurs);
    const draft = join(dirname(path), `${shortened(basename(path))}.${randomUUID()}.draft`);
    return new DraftFile(path, draft, await fs.open(draft, 'wx', mode));
  }

  async write(piece: string | Uint8Array): Promise<void> {
    await this.#file.appendFile(piece);
    this.#unsynced += piece.length;
    if (this.#unsynced < syncLength) return;
    await this.#file.datasync();
    this.#unsynced = 0;
  }

  /** Gives the file its name, under which it survives a failure of the power. @throws EEXIST when there is one already. */
  async complete(): Promise<void> {
    await this.#file.sync();
    // A link never replaces a file.
    await fs.link(this.#draft, this.#path);
    await syncFolder(dirname(this.#path));
  }

  /** Completes the file in the place of one that has its name, if there is one. */
  async replace(): Promise<void> {
    await this.#file.sync();
    await fs.rename(this.#draft, this.#path);
    await syncFolder(dirname(this.#path));
  }

  /** Removes the draft at once, because the process is about to end. */
  abandon(): void {
    rmSync(this.#draft, { force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close().finally(() => fs.rm(this.#draft, { force: true }));
  }
}

/** Returns the begin of a name to which the ending of a draft can be added: file systems take 255 bytes. */
function shortened(name: string): string {
  let short = name;
  while (Buffer.byteLength(short) > maxNameBytes) short = short.slice(0, -1);
  return short;
}

/** Writes to the disk which names a folder has. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await fs.open(path, 'r');
  await folder.sync().finally(() => folder.close());
}

async function removeOldDrafts(folder: string, isOurs: IsOurs): Promise<void> {
  for (const draft of await fs.readdir(folder)) {
    await yieldToEventLoop();
    const name = DraftFile.nameOf(draft);
    const path = join(folder, draft);
    if (name === null || !(await isOurs(name, path))) continue;
    // Another process may remove it at the same time.
    const stats = await fs.stat(path).catch(() => null);
    if (stats?.isFile() && Date.now() - stats.mtimeMs > lifetime) await fs.rm(path, { force: true });
  }
}
