import { randomUUID } from 'node:crypto';
import { createReadStream, promises as fs } from 'node:fs';
import { dirname, join } from 'node:path';
import type { AuditArchive, SegmentWriter } from '../audit/archive/audit-archive.ts';
import { conflict, HorariumError } from '../errors.ts';
import type { Milliseconds } from '../loop/clock.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';

/** The name of a draft of a segment: a process that was killed leaves one. */
const draftName = /^audit-\d+\.jsonl\.[0-9a-f-]{36}\.draft$/;
/** How long after its last write a draft is no longer in use. */
const draftLifetime: Milliseconds = 60 * 60_000;
/** About how many characters are written at once. */
const maxPiece = 1024 * 1024;
/** The maximum length of a line: an entry holds up to 2 MiB, and JSON may write a character as six. */
const maxLine = 64 * 1024 * 1024;

/**
 * Returns the archive of the audit log in a folder; the first segment creates it. Each segment is a file of JSON Lines.
 * Only its owner can read the folder and the files. The file system must have hard links.
 */
export function auditFolder(folder: string): AuditArchive {
  return {
    place: folder,
    async list() {
      const names = await fs.readdir(folder).catch((error) => {
        if (codeOf(error) === 'ENOENT') return [];
        throw failed(`The folder ${folder} of the audit log cannot be read`, error);
      });
      return names.filter((name) => !draftName.test(name)).sort();
    },
    read: (name) => linesOf(join(folder, name)),
    async create(name) {
      try {
        await createFolder(folder);
        await removeOldDrafts(folder);
        return await FolderSegment.open(folder, name);
      } catch (error) {
        throw failed(`The file ${name} of the audit log cannot be written to ${folder}`, error);
      }
    },
  };
}

class FolderSegment implements SegmentWriter {
  readonly #folder: string;
  readonly #name: string;
  readonly #draft: string;
  readonly #file: fs.FileHandle;

  constructor(folder: string, name: string, { draft, file }: { readonly draft: string; readonly file: fs.FileHandle }) {
    this.#folder = folder;
    this.#name = name;
    this.#draft = draft;
    this.#file = file;
  }

  static async open(folder: string, name: string): Promise<FolderSegment> {
    const draft = join(folder, `${name}.${randomUUID()}.draft`);
    return new FolderSegment(folder, name, { draft, file: await fs.open(draft, 'wx', 0o600) });
  }

  async write(lines: readonly string[]): Promise<void> {
    await this.#try(async () => {
      let piece = '';
      for (const line of lines) {
        await yieldToEventLoop();
        piece += `${line}\n`;
        if (piece.length < maxPiece) continue;
        await this.#file.appendFile(piece);
        piece = '';
      }
      await this.#file.appendFile(piece);
    });
  }

  async complete(): Promise<void> {
    await this.#try(async () => {
      await this.#file.sync();
      // A link never replaces a file, and every reader sees the whole of it.
      await fs.link(this.#draft, join(this.#folder, this.#name));
      await syncFolder(this.#folder);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close().finally(() => fs.rm(this.#draft, { force: true }));
  }

  async #try(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      const file = `The file ${this.#name} of the audit log`;
      if (codeOf(error) === 'EEXIST') throw conflict(`${file} is already in ${this.#folder}.`);
      throw failed(`${file} cannot be written to ${this.#folder}`, error);
    }
  }
}

/** Creates a folder where there is none, so that it survives a failure of the power. */
async function createFolder(folder: string): Promise<void> {
  const first = await fs.mkdir(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let created = folder; ; created = dirname(created)) {
    await yieldToEventLoop();
    await syncFolder(dirname(created));
    if (created === first || created === dirname(created)) return;
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await fs.open(path, 'r');
  await folder.sync().finally(() => folder.close());
}

async function removeOldDrafts(folder: string): Promise<void> {
  for (const name of await fs.readdir(folder)) {
    await yieldToEventLoop();
    const path = join(folder, name);
    if (!draftName.test(name)) continue;
    // Another process may remove it at the same time.
    const stats = await fs.stat(path).catch(() => null);
    if (stats?.isFile() && Date.now() - stats.mtimeMs > draftLifetime) await fs.rm(path, { force: true });
  }
}

/** Reads the lines of a file, which end with a line feed: JSON holds other line separators as they are. */
async function* linesOf(path: string): AsyncGenerator<string> {
  let rest: string[] = [];
  let length = 0;
  try {
    // A pipe would wait for a writer.
    if (!(await fs.stat(path)).isFile()) throw new HorariumError('unavailable', `${path} is no regular file.`);
    for await (const chunk of createReadStream(path, { encoding: 'utf8' })) {
      await yieldToEventLoop();
      const lines = (chunk as string).split('\n');
      const end = lines.pop() ?? '';
      if (lines.length > 0) {
        yield rest.join('') + lines.shift();
        yield* lines;
        rest = [];
        length = 0;
      }
      rest.push(end);
      length += end.length;
      if (length > maxLine) throw new HorariumError('unavailable', `A line of ${path} is too long.`);
    }
  } catch (error) {
    throw failed(`The file ${path} of the audit log cannot be read`, error);
  }
  if (length > 0) yield rest.join('');
}

function failed(what: string, error: unknown): HorariumError {
  return error instanceof HorariumError ? error : new HorariumError('unavailable', `${what} (${codeOf(error)}).`);
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown }).code ?? error);
}
