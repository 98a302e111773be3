import { chownSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import type { Identity } from '../messages.ts';
import { removeFolder } from '../remove-folder.ts';
import { isOwnFolder, makeLauncherFolder } from './launcher-folder.ts';

const mode = 0o700;
const maxSpare = 256;
/** A folder that held very many files stays large when they are gone, and slow. */
const largest = 4096;

/**
 * The working directories of jobs. Most jobs leave theirs as empty as it was; such a one serves the next job of the
 * same user, as making and removing folders is by far the slowest thing about starting a small program on many disks.
 */
export class WorkingFolders {
  readonly #parent: string;
  readonly #spare = new Map<number, string[]>();
  #made = 0;

  constructor(parent: string) {
    this.#parent = parent;
  }

  /** @throws Error with the system's code when none can be made. */
  take(identity: Identity | null): string {
    // It may have been deleted; a folder that another user made in its place would mislead jobs and the server.
    if (!isOwnFolder(this.#parent)) makeLauncherFolder(this.#parent);
    const spare = this.#spareOf(identity).pop();
    if (spare !== undefined && isAsNew(spare, identity)) return spare;
    const folder = `${this.#parent}/${++this.#made}`;
    mkdirSync(folder, { mode });
    if (identity) chownSync(folder, identity.uid, identity.gid);
    return folder;
  }

  giveBack(folder: string, identity: Identity | null): void {
    const spare = this.#spareOf(identity);
    if (spare.length < maxSpare && isAsNew(folder, identity)) spare.push(folder);
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

function isAsNew(folder: string, identity: Identity | null): boolean {
  try {
    const stat = lstatSync(folder);
    const isOurs = stat.isDirectory() && stat.uid === ownerOf(identity) && (stat.mode & 0o7777) === mode;
    return isOurs && stat.size <= largest && readdirSync(folder).length === 0;
  } catch {
    return false;
  }
}
