import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import {
  type ArtifactFile,
  type Attempt,
  type AttemptLimits,
  artifactRefusal,
  declaredMediaType,
} from '@horarium/core/plugin';
import mime from 'mime';
import { RE2JS } from 're2js';
import { entriesOf, errorCode, inside, openFolder } from './open-folder.ts';

interface Kept {
  readonly files: ArtifactFile[];
  /** What was left out and why, a sentence each. */
  readonly notes: string[];
}

/** A job that makes more files than these, or nests them deeper, has the others left out. */
const mostEntries = 20_000;
const deepest = 32;
const piece = 256 * 1024;

/**
 * Reads the files that an attempt asked to keep from its working directory: regular files inside it with no other
 * name elsewhere, never through a link. Never rejects.
 */
export async function collectKeptFiles(folder: string, attempt: Attempt, limits: AttemptLimits): Promise<Kept> {
  const search = new Search(attempt, limits);
  try {
    const top = await openFolder(folder);
    try {
      await search.walk(top, '', 0);
    } finally {
      await top.close();
    }
  } catch (error) {
    search.note(`files could not be kept: ${errorCode(error)}`);
  }
  return search.kept;
}

class Search {
  readonly kept: Kept = { files: [], notes: [] };
  readonly #resultFile: string | null;
  readonly #patterns: readonly { readonly pattern: RE2JS; readonly type: string | null }[];
  readonly #limits: AttemptLimits;
  #entries = 0;
  #bytes = 0;

  constructor(attempt: Attempt, limits: AttemptLimits) {
    this.#resultFile = attempt.resultFile?.replace(/^(\.\/+)+/, '') ?? null;
    this.#limits = limits;
    this.#patterns = attempt.artifacts.flatMap(({ path, type }) => {
      try {
        return [{ pattern: RE2JS.compile(path), type: declaredMediaType(type) }];
      } catch {
        this.note(`${JSON.stringify(path)} is not a regular expression that can be matched`);
        return [];
      }
    });
  }

  note(sentence: string): void {
    this.kept.notes.push(sentence);
  }

  async walk(folder: FileHandle, prefix: string, depth: number): Promise<void> {
    for await (const { name, isFolder, isFile } of entriesOf(folder)) {
      if (++this.#entries > mostEntries) {
        if (this.#entries === mostEntries + 1) this.note(`only ${mostEntries} files were looked at`);
        return;
      }
      const path = prefix + name.toString();
      if (isFolder) await this.#enter(inside(folder, name), path, depth + 1);
      else await this.#consider(inside(folder, name), path, isFile);
    }
  }

  async #enter(at: Buffer, path: string, depth: number): Promise<void> {
    if (depth > deepest) return this.note(`${path} is too deep to be looked into`);
    const subfolder = await openFolder(at).catch((error: unknown) => {
      this.note(`${path} could not be looked into: ${errorCode(error)}`);
      return null;
    });
    if (!subfolder) return;
    try {
      await this.walk(subfolder, `${path}/`, depth);
    } finally {
      await subfolder.close();
    }
  }

  async #consider(at: Buffer, path: string, isFile: boolean): Promise<void> {
    const artifact = this.#patterns.find(({ pattern }) => pattern.matcher(path).find());
    if (!artifact && path !== this.#resultFile) return;
    const problem = isFile ? await this.#read(at, path, artifact?.type ?? null) : 'it is not a regular file';
    if (problem) this.note(`${path} was not kept: ${problem}`);
  }

  /** Says why not, or null. */
  async #read(at: Buffer, path: string, type: string | null): Promise<string | null> {
    let file: FileHandle;
    try {
      // Opening a pipe that someone put in the file's place must not wait for its other end.
      file = await open(at, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    } catch (error) {
      return errorCode(error) === 'ELOOP' ? 'it is a link' : `it could not be read (${errorCode(error)})`;
    }
    try {
      const { size, nlink, isFile } = await statOf(file);
      if (!isFile) return 'it is not a regular file';
      if (nlink !== 1) return 'it has other names elsewhere';
      const kept = { files: this.kept.files.length, bytes: this.#bytes };
      const refusal = artifactRefusal(size, kept, this.#limits);
      if (refusal) return refusal;
      const { content, sha256 } = await contentOf(file, size);
      this.#bytes += content.length;
      const contentType = type ?? mime.getType(path) ?? 'application/octet-stream';
      this.kept.files.push({ filename: path, contentType, sha256, content });
      return null;
    } catch (error) {
      return `it could not be read (${errorCode(error)})`;
    } finally {
      await file.close();
    }
  }
}

async function statOf(file: FileHandle) {
  const stat = await file.stat();
  return { size: stat.size, nlink: stat.nlink, isFile: stat.isFile() };
}

/** Read and hashed piece by piece, so that a large file does not hold up everything else. */
async function contentOf(file: FileHandle, size: number): Promise<{ content: Uint8Array; sha256: string }> {
  const content = Buffer.alloc(size);
  const hash = createHash('sha256');
  let at = 0;
  while (at < size) {
    const { bytesRead } = await file.read(content, at, Math.min(piece, size - at), at);
    if (bytesRead === 0) break;
    hash.update(content.subarray(at, at + bytesRead));
    at += bytesRead;
  }
  return { content: content.subarray(0, at), sha256: hash.digest('hex') };
}
