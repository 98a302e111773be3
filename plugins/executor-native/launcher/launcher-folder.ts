import { chmodSync, lstatSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

const writableByOthers = 0o022;

/**
 * Makes the folder of a launcher. Jobs of other users must get through it to their own folders; what is in it they
 * cannot list.
 * @throws Error with the system's code, also where there is something of that name already.
 */
export function makeLauncherFolder(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  mkdirSync(path);
  chmodSync(path, 0o711);
}

/** Whether a folder belongs to this user and no other user can write to it: the content of others proves nothing. */
export function isOwnFolder(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isDirectory() === true && stat.uid === process.getuid?.() && (stat.mode & writableByOthers) === 0;
}
