import { chmodSync, lstatSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { LauncherSettings } from '../messages.ts';
import { removeFolder } from '../working-folder/remove-folder.ts';

/** The permission bits by which the group or all other users may write. */
const writableByOthers = 0o022;

/**
 * Creates the folder of a launcher, in which its jobs have their working directories. Jobs that run as other users can
 * pass through it to their own, but cannot list it.
 * @throws Error with an errno code, such as `EEXIST` where a file or folder with that name exists.
 */
export function createLauncherFolder(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  mkdirSync(path);
  chmodSync(path, 0o711);
}

/**
 * Removes the folders of a launcher. That of the register goes last, so that the next launcher removes what is left where
 * this process ends before.
 */
export async function removeLauncherFolders({
  folder,
  scratch,
}: Pick<LauncherSettings, 'folder' | 'scratch'>): Promise<void> {
  await removeFolder(scratch);
  await removeFolder(folder);
}

/** Whether the folder exists, belongs to this user and only this user can write to it; others must not be trusted. */
export function isOwnFolder(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isDirectory() === true && stat.uid === process.getuid?.() && (stat.mode & writableByOthers) === 0;
}
