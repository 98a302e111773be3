import { createReadStream, promises as fs } from 'node:fs';
import { dirname, join } from 'node:path';
import type { AuditArchive, SegmentWriter } from '../audit/archive/audit-archive.ts';
import { conflict, HorariumError } from '../errors.ts';
import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import { DraftFile, syncFolder } from './draft-file.ts';
import { textLines } from './text-lines.ts';

/** The name of a file of the archive. */
const segmentName = /^audit-\d+\.jsonl$/;
/** About how many characters are written at once. */
const maxPiece = 1024 * 1024;

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
      return names.filter((name) => !isSegment(DraftFile.nameOf(name))).sort();
    },
    read: (name) => linesOf(join(folder, name)),
    async create(name) {
      try {
        await createFolder(folder);
        return new FolderSegment(folder, name, await DraftFile.open(join(folder, name), isSegment));
      } catch (error) {
        throw failed(`The file ${name} of the audit log cannot be written to ${folder}`, error);
      }
    },
  };
}

function isSegment(name: string | null): boolean {
  return name !== null && segmentName.test(name);
}

class FolderSegment implements SegmentWriter {
  readonly #folder: string;
  readonly #name: string;
  readonly #file: DraftFile;

  constructor(folder: string, name: string, file: DraftFile) {
    this.#folder = folder;
    this.#name = name;
    this.#file = file;
  }

  async write(lines: readonly string[]): Promise<void> {
    await this.#try(async () => {
      let piece = '';
      for (const line of lines) {
        await yieldToEventLoop();
        piece += `${line}\n`;
        if (piece.length < maxPiece) continue;
        await this.#file.write(piece);
        piece = '';
      }
      await this.#file.write(piece);
    });
  }

  async complete(): Promise<void> {
    await this.#try(() => this.#file.complete());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file[Symbol.asyncDispose]();
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

/** Reads the lines of a file. */
async function* linesOf(path: string): AsyncGenerator<string> {
  try {
    // A pipe would wait for a writer.
    if (!(await fs.stat(path)).isFile()) throw new HorariumError('unavailable', `${path} is no regular file.`);
    yield* textLines(createReadStream(path, { encoding: 'utf8' }), path);
  } catch (error) {
    throw failed(`The file ${path} of the audit log cannot be read`, error);
  }
}

function failed(what: string, error: unknown): HorariumError {
  return error instanceof HorariumError ? error : new HorariumError('unavailable', `${what} (${codeOf(error)}).`);
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown }).code ?? error);
}
