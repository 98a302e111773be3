import { stat } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import type { Milliseconds } from '@horarium/core/plugin';
import { candidates, findExecutable } from './launcher/find-executable.ts';

/** How long the file system may take to answer: one on the network may never do so. */
const maxWait: Milliseconds = 500;

/**
 * Returns why a program could not be started on this machine; null where it could, or the file system does not answer in
 * time. Only files that have answered are looked at by `findExecutable`, which blocks the event loop meanwhile.
 * @param path as PATH of the jobs.
 * @param folders the folders that it must be in; null = anywhere.
 */
export async function missingProgram(
  name: string,
  path: string,
  folders: readonly string[] | null,
): Promise<string | null> {
  const ending = new AbortController();
  const late = setTimeout(maxWait, false, { signal: ending.signal }).catch(() => false);
  const files = [...candidates(name, path), ...(folders ?? [])];
  const answers = Promise.allSettled(files.map((file) => stat(file))).then(() => true);
  const hasAnswered = await Promise.race([answers, late]);
  ending.abort();
  const found = hasAnswered ? findExecutable(name, path, folders) : null;
  return found && 'reason' in found ? found.reason : null;
}
