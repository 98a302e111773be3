import { constants } from 'node:fs';
import { type FileHandle, open, opendir } from 'node:fs/promises';

/**
 * Opens a folder itself, never a link to one. Names inside are then reached through the open folder (`inside`), so
 * that a job cannot put a link in its place between two steps: the server reads what jobs write with its own rights.
 */
export function openFolder(path: string | Buffer): Promise<FileHandle> {
  return open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
}

/** Path of the open folder itself; valid while the handle is open. */
function pathOf(folder: FileHandle): string {
  return `/proc/self/fd/${folder.fd}`;
}

/** Path of a name in the open folder. Names are bytes: a job may have made some that are not text. */
export function inside(folder: FileHandle, name: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${pathOf(folder)}/`), name]);
}

/** What is in the open folder, as it is read. */
export async function* entriesOf(folder: FileHandle): AsyncGenerator<Entry> {
  // The types of Node declare entries whose names are bytes of `readdir` only, not of `opendir`.
  for await (const entry of await opendir(pathOf(folder), { encoding: 'buffer' as BufferEncoding })) {
    const isFolder = entry.isDirectory();
    yield { name: entry.name as unknown as Buffer, isFolder, isFile: entry.isFile() };
  }
}

interface Entry {
  readonly name: Buffer;
  readonly isFolder: boolean;
  readonly isFile: boolean;
}

/** The system's name for what went wrong: `EACCES`. */
export function errorCode(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown error';
}
