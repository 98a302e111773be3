import { chmodSync, lstatSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

const writableByOthers = 0o022;

/**
 * Makes the folder of a launcher. Jobs of other users can pass through it to their own folders, but cannot list it.
 * @throws Error with the system's code, also where a file or folder of that name exists already.
 */
export function makeLauncherFolder(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  mkdirSync(path);
  chmodSync(path, 0o711);
}

/** Whether a folder belongs to this user and no other user can write to it. The content of any other is not trusted. */
export function isOwnFolder(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isDirectory() === true && stat.uid === process.getuid?.() && (stat.mode & writableByOthers) === 0;
}
