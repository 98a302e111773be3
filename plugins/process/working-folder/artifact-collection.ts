import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { createRequire } from 'node:module';
import {
  type ArtifactFile,
  type Attempt,
  type AttemptLimits,
  artifactRefusal,
  declaredMediaType,
} from '@horarium/core/plugin';
import type { RE2JS } from 're2js';
import { mediaTypeOf } from './media-type.ts';
import { entriesOf, errorCode, inside, type OwnFile, openFolder, openOwnFile } from './open-folder.ts';
import { progressFile } from './progress-file.ts';

const load = createRequire(import.meta.url);

interface CollectedArtifacts {
  readonly files: ArtifactFile[];
  /** A sentence for each file that was not stored, with the reason. */
  readonly notes: string[];
}

/** The limits of a search; files beyond them are not stored. */
const maxEntries = 20_000;
const maxDepth = 32;
const chunkSize = 256 * 1024;

/** The artifacts that an attempt may leave, and the user that it runs as. */
interface ArtifactSource extends Pick<Attempt, 'resultFile' | 'artifacts'> {
  /** The id that files must belong to; null = any, where this process runs as the same user. */
  readonly owner: number | null;
}

/**
 * Reads the artifacts of an attempt from its working directory: regular files inside it that belong to its user and have
 * no other hard link, never through a symbolic link. Never rejects.
 */
export async function collectArtifacts(
  folder: string,
  source: ArtifactSource,
  limits: AttemptLimits,
): Promise<CollectedArtifacts> {
  const search = new ArtifactSearch(source, limits);
  try {
    const top = await openFolder(folder);
    try {
      await search.walk(top, '', 0);
    } finally {
      await top.close();
    }
  } catch (error) {
    search.note(`artifacts could not be collected: ${errorCode(error)}`);
  }
  return search.collected;
}

/** @throws Error for a text that is no regular expression which can be matched in linear time. */
function compile(pattern: string): RE2JS {
  // Loaded when first used, because the library is large, and few jobs have artifacts.
  const { RE2JS } = load('re2js') as typeof import('re2js');
  return RE2JS.compile(pattern);
}

class ArtifactSearch {
  readonly collected: CollectedArtifacts = { files: [], notes: [] };
  readonly #resultFile: string | null;
  readonly #owner: number | null;
  readonly #patterns: readonly { readonly pattern: RE2JS; readonly type: string | null }[];
  readonly #limits: AttemptLimits;
  #entries = 0;
  #bytes = 0;

  constructor({ resultFile, artifacts, owner }: ArtifactSource, limits: AttemptLimits) {
    this.#resultFile = resultFile?.replace(/^(\.\/+)+/, '') ?? null;
    this.#owner = owner;
    this.#limits = limits;
    this.#patterns = artifacts.flatMap(({ path, type }) => {
      try {
        return [{ pattern: compile(path), type: declaredMediaType(type) }];
      } catch {
        this.note(`${JSON.stringify(path)} is not a regular expression that can be matched`);
        return [];
      }
    });
  }

  note(sentence: string): void {
    this.collected.notes.push(sentence);
  }

  async walk(folder: FileHandle, prefix: string, depth: number): Promise<void> {
    for await (const { name, isFolder, isFile } of entriesOf(folder)) {
      if (++this.#entries > maxEntries) {
        if (this.#entries === maxEntries + 1) this.note(`only the first ${maxEntries} files were searched`);
        return;
      }
      const path = prefix + name.toString();
      if (path === progressFile) continue;
      if (isFolder) await this.#enter(inside(folder, name), path, depth + 1);
      else await this.#consider(inside(folder, name), path, isFile);
    }
  }

  async #enter(at: Buffer, path: string, depth: number): Promise<void> {
    if (depth > maxDepth) return this.note(`${path} was not searched: it is nested deeper than ${maxDepth} folders`);
    const subfolder = await openFolder(at).catch((error: unknown) => {
      this.note(`${path} could not be searched: ${errorCode(error)}`);
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
    if (problem) this.note(`${path} was not stored: ${problem}`);
  }

  /** Reads a file into the collection. @returns the reason why it was not stored; null when it was. */
  async #read(at: Buffer, path: string, type: string | null): Promise<string | null> {
    try {
      const file = await openOwnFile(at, this.#owner);
      return 'refusal' in file ? file.refusal : await this.#store(file, path, type);
    } catch (error) {
      return `it could not be read (${errorCode(error)})`;
    }
  }

  async #store({ handle, size }: OwnFile, path: string, type: string | null): Promise<string | null> {
    try {
      const usage = { files: this.collected.files.length, bytes: this.#bytes };
      const refusal = artifactRefusal(size, usage, this.#limits);
      if (refusal) return refusal;
      const { content, sha256 } = await contentOf(handle, size);
      this.#bytes += content.length;
      const contentType = type ?? mediaTypeOf(path);
      this.collected.files.push({ filename: path, contentType, sha256, content });
      return null;
    } finally {
      await handle.close();
    }
  }
}

/** Reads and hashes a file in chunks, so that a large one does not block the event loop. */
async function contentOf(file: FileHandle, size: number): Promise<{ content: Uint8Array; sha256: string }> {
  const content = Buffer.alloc(size);
  const hash = createHash('sha256');
  let at = 0;
  while (at < size) {
    const { bytesRead } = await file.read(content, at, Math.min(chunkSize, size - at), at);
    if (bytesRead === 0) break;
    hash.update(content.subarray(at, at + bytesRead));
    at += bytesRead;
  }
  return { content: content.subarray(0, at), sha256: hash.digest('hex') };
}
