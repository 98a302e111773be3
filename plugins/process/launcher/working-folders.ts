import { chownSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import type { Identity } from '../users/users.ts';
import { removeFolder } from '../working-folder/remove-folder.ts';
import { createLauncherFolder, isOwnFolder } from './launcher-folder.ts';

const mode = 0o700;
const maxSpare = 256;
/** The maximum bytes of a folder that is used again: one that had very many files stays large and slow without them. */
const maxSize = 4096;

/**
 * A pool of working directories for jobs. Most jobs leave theirs empty; it then serves the next job of the same user,
 * because creating and removing folders is the slowest part of starting a small program on many disks.
 */
export class WorkingFolders {
  readonly #parent: string;
  readonly #spare = new Map<number, string[]>();
  #created = 0;

  constructor(parent: string) {
    this.#parent = parent;
  }

  /** @throws Error with an errno code when none can be created. */
  take(identity: Identity | null): string {
    // The folder may have been deleted, and another user may have created one in its place, which must not be used.
    if (!isOwnFolder(this.#parent)) createLauncherFolder(this.#parent);
    const spare = this.#spareOf(identity).pop();
    if (spare !== undefined && isPristine(spare, identity)) return spare;
    const folder = `${this.#parent}/${++this.#created}`;
    mkdirSync(folder, { mode });
    if (identity) chownSync(folder, identity.uid, identity.gid);
    return folder;
  }

  /** Returns the working directory of an ended job to the pool, or removes it where the job left anything. */
  release(folder: string, identity: Identity | null): void {
    const spare = this.#spareOf(identity);
    if (spare.length < maxSpare && isPristine(folder, identity)) spare.push(folder);
    else void removeFolder(folder);
  }

  #spareOf(identity: Identity | null): string[] {
    const owner = ownerOf(identity);
    const spare = this.#spare.get(owner) ?? [];
    this.#spare.set(owner, spare);
    return spare;
  }
}

function ownerOf(identity: Identity | null): number {
  return identity?.uid ?? (process.getuid?.() as number);
}

function isPristine(folder: string, identity: Identity | null): boolean {
  try {
    const stat = lstatSync(folder);
    const isOurs = stat.isDirectory() && stat.uid === ownerOf(identity) && (stat.mode & 0o7777) === mode;
    return isOurs && stat.size <= maxSize && readdirSync(folder).length === 0;
  } catch {
    return false;
  }
}
