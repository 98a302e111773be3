import { rmdirSync } from 'node:fs';
import { chmod, type FileHandle, rename, rmdir, unlink } from 'node:fs/promises';
import { entriesOf, errorCode, inside, openFolder } from './open-folder.ts';

/** Removes a folder and its content, without following links. What cannot be removed stays. Never rejects. */
export async function removeFolder(path: string): Promise<void> {
  try {
    // Most jobs leave nothing behind.
    rmdirSync(path);
    return;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return;
  }
  // A program that was killed may still have been writing.
  for (let round = 0; round < 3; round++) {
    await empty(path).catch(() => {});
    const gone = await rmdir(path).then(
      () => true,
      (error) => errorCode(error) === 'ENOENT',
    );
    if (gone) return;
  }
}

/** Empties a folder. It moves nested folders up into it first, so that two open folders are enough at any depth. */
async function empty(path: string): Promise<void> {
  const top = await openWritable(path);
  try {
    let moved = 0;
    const moveUp = (folder: FileHandle, name: Buffer) =>
      rename(inside(folder, name), inside(top, Buffer.from(`.removed-${moved++}`)));
    let removed: number;
    do {
      removed = 0;
      for await (const { name, isFolder } of entriesOf(top)) {
        if (isFolder) await dissolve(inside(top, name), moveUp).catch(() => {});
        const gone = isFolder ? rmdir(inside(top, name)) : unlink(inside(top, name));
        await gone.then(
          () => removed++,
          () => {},
        );
      }
    } while (removed > 0);
  } finally {
    await top.close();
  }
}

async function dissolve(path: Buffer, moveUp: (folder: FileHandle, name: Buffer) => Promise<void>): Promise<void> {
  const folder = await openWritable(path);
  try {
    for await (const { name, isFolder } of entriesOf(folder)) {
      if (isFolder) {
        // To move a folder its own ".." must be writable.
        await (await openWritable(inside(folder, name))).close();
        await moveUp(folder, name);
      } else await unlink(inside(folder, name));
    }
  } finally {
    await folder.close();
  }
}

/** Opens a folder, and gives its owner the permissions to read and write it, which caches of packages often lack. */
async function openWritable(path: string | Buffer): Promise<FileHandle> {
  try {
    const folder = await openFolder(path);
    await folder.chmod(0o700).catch(() => {});
    return folder;
  } catch (error) {
    // Root is denied access by other file systems only (FUSE, NFS), and must not change what a job puts there instead.
    if (errorCode(error) !== 'EACCES' || process.getuid?.() === 0) throw error;
    await chmod(path, 0o700);
    return openFolder(path);
  }
}
