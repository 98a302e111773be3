import { chmodSync, lstatSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { LauncherSettings } from '../messages.ts';
import { removeFolder } from '../working-folder/remove-folder.ts';
import { type CleanupResult, runCleanups } from './cleanups.ts';

/** The permission bits that let the group or all other users write. */
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
 * Runs the cleanups that a launcher has left, and removes its folders. That of the register goes last, and stays where a
 * cleanup failed, so that the next launcher does what is left.
 * @returns how many cleanups succeeded, and why others did not.
 */
export async function removeLauncherFolders({
  folder,
  scratch,
}: Pick<LauncherSettings, 'folder' | 'scratch'>): Promise<CleanupResult> {
  await removeFolder(scratch);
  const result = await runCleanups(folder);
  if (result.problems.length === 0) await removeFolder(folder);
  return result;
}

/** Whether the folder exists, belongs to this user and only this user can write to it; others must not be trusted. */
export function isOwnFolder(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isDirectory() === true && stat.uid === process.getuid?.() && (stat.mode & writableByOthers) === 0;
}
