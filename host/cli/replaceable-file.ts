import { lstat, open, realpath, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { conflict, HorariumError } from '@horarium/core';
import { DraftFile } from '@horarium/core/node';
import type { Io } from './io.ts';

/** The files of one kind, which a command may replace by newer ones. */
interface ReplaceableFiles {
  /** What such a file is called: `backup`. */
  readonly noun: string;
  /** How its text begins, in ASCII. */
  readonly beginning: string;
  /** Who may read and write it, less what the umask takes. */
  readonly mode: number;
}

/**
 * Writes a file, which has its name only once it is whole, in the place of an older one of its kind, if there is one. A signal
 * that ends the process removes what was written.
 * @param write writes the text by the function that it is passed.
 * @throws HorariumError `conflict` for a file of another kind, `unavailable` when it cannot be written.
 */
export async function writeReplaceableFile<T>(
  { folder }: Pick<Io, 'folder'>,
  name: string,
  kind: ReplaceableFiles,
  write: (to: (text: string) => Promise<void>) => Promise<T>,
): Promise<T> {
  const path = await resolveLink(resolve(folder, name), name, kind);
  await assertReplaceable(path, name, kind);
  const checked = async <R>(work: Promise<R>): Promise<R> =>
    work.catch((error: unknown) => {
      if (error instanceof HorariumError) throw error;
      const { code = error } = error as NodeJS.ErrnoException;
      throw new HorariumError('unavailable', `${name} cannot be written (${code}).`);
    });
  const isDraft = (_name: string, draft: string) => beginsWith(draft, kind.beginning);
  const opening = checked(DraftFile.open(path, isDraft, kind.mode));
  // A signal may come while the draft is made.
  using _signals = onSignals(async () => (await opening.catch(() => null))?.abandon());
  await using file = await opening;
  const result = await write((text) => checked(file.write(text)));
  // Another file may have come meanwhile.
  await assertReplaceable(path, name, kind);
  await checked(file.replace());
  return result;
}

/** Calls back when a signal ends this process, and lets it end. */
function onSignals(callback: () => Promise<void>): Disposable {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const stop = () => {
    for (const signal of signals) process.off(signal, end);
  };
  const end = async (signal: NodeJS.Signals) => {
    await callback();
    stop();
    process.kill(process.pid, signal);
  };
  for (const signal of signals) process.on(signal, end);
  return { [Symbol.dispose]: stop };
}

/**
 * Follows links, so that the file that one points to is replaced, and not the link.
 * @throws HorariumError `conflict` for a link that leads nowhere.
 */
async function resolveLink(path: string, name: string, { noun }: ReplaceableFiles): Promise<string> {
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
async function assertReplaceable(path: string, name: string, { noun, beginning }: ReplaceableFiles): Promise<void> {
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
async function beginsWith(path: string, beginning: string): Promise<boolean> {
  const file = await open(path).catch(() => null);
  if (!file) return false;
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(beginning.length), 0, beginning.length, 0);
    return buffer.toString('utf8', 0, bytesRead) === beginning;
  } finally {
    await file.close();
  }
}
