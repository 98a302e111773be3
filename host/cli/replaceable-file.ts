import { lstat, open, realpath, stat } from 'node:fs/promises';
import { conflict, type HorariumError } from '@horarium/core';

/** The files of one kind, which a command may replace by newer ones. */
interface ReplaceableFiles {
  /** What such a file is called: `backup`. */
  readonly noun: string;
  /** How its text begins, in ASCII. */
  readonly beginning: string;
}

/**
 * Follows links, so that the file that one points to is replaced, and not the link.
 * @throws HorariumError `conflict` for a link that leads nowhere.
 */
export async function targetOf(path: string, name: string, { noun }: ReplaceableFiles): Promise<string> {
  const isLink = (await lstat(path).catch(() => null))?.isSymbolicLink() ?? false;
  if (!isLink) return path;
  const target = await realpath(path).catch(() => null);
  if (target === null) throw notReplaceable(name, noun);
  return target;
}

/**
 * Checks that no other file is lost: a new one may take the place of an older one of its kind, and of nothing else.
 * @throws HorariumError `conflict` for any other file.
 */
export async function assertReplaceable(
  path: string,
  name: string,
  { noun, beginning }: ReplaceableFiles,
): Promise<void> {
  const stats = await stat(path).catch(() => null);
  if (stats === null || (stats.size === 0 && stats.isFile())) return;
  if (!stats.isFile()) throw notReplaceable(name, noun);
  if (!(await beginsWith(path, beginning))) throw conflict(`${name} exists and is no ${noun}: choose another name.`);
}

function notReplaceable(name: string, noun: string): HorariumError {
  return conflict(
    `${name} is no file that ${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun} could replace. - stands for standard output.`,
  );
}

/** Whether a file can be read and begins with a text of ASCII characters. */
export async function beginsWith(path: string, beginning: string): Promise<boolean> {
  const file = await open(path).catch(() => null);
  if (!file) return false;
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(beginning.length), 0, beginning.length, 0);
    return buffer.toString('utf8', 0, bytesRead) === beginning;
  } finally {
    await file.close();
  }
}
