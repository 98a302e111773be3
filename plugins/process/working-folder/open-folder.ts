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

/** A file that a job has left. */
export interface OwnFile {
  readonly handle: FileHandle;
  readonly size: number;
}

/**
 * Opens a regular file that belongs to its user and has no other hard link, never through a symbolic link.
 * @param owner the id that it must belong to; null = any, where this process runs as the same user.
 * @returns the reason why it is none, as a clause.
 * @throws Error with an errno code when it cannot be read.
 */
export async function openOwnFile(at: Buffer, owner: number | null): Promise<OwnFile | { readonly refusal: string }> {
  let handle: FileHandle;
  try {
    // Opening a pipe that the job put in place of the file must not wait for its other end.
    handle = await open(at, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (errorCode(error) === 'ELOOP') return { refusal: 'it is a symbolic link' };
    throw error;
  }
  const refuse = async (refusal: string) => {
    await handle.close();
    return { refusal };
  };
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) return await refuse('it is not a regular file');
    if (stat.nlink !== 1) return await refuse('it has more than one hard link');
    // A job can move a file that it cannot read out of a folder that it can write to.
    if (owner !== null && stat.uid !== owner) return await refuse('it belongs to another user');
    return { handle, size: stat.size };
  } catch (error) {
    await handle.close().catch(() => {});
    throw error;
  }
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
