import { readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { HorariumError } from '@horarium/core/plugin';
import { adoptedPath, cronFilesIn, originalPath, ownerOf, spooledIn, spools } from '../lines/cron-places.ts';

/** A file that cron reads, or has read before it was adopted. */
export interface CronFile {
  /** Where cron reads it, without the root folder: /etc/cron.d/php. */
  readonly path: string;
  /** The user whose crontab it is; null for one of the system, whose lines name users. */
  readonly owner: string | null;
  /** Whether it has been adopted, so that cron does not read it. */
  readonly isAdopted: boolean;
}

/** Whether a path is one at which cron of a machine looks for crontabs. */
export function isReadByCron(path: string): boolean {
  return path === '/etc/crontab' || dirname(path) === '/etc/cron.d' || ownerOf(path) !== null;
}

/**
 * Finds the crontabs of a machine: /etc/crontab, the files in /etc/cron.d, and those of users.
 * @param root the folder in which the machine's file system is; `/` for this machine.
 * @throws HorariumError `denied` for a folder that may not be read, `conflict` for a file that cron reads again beside its
 *   adopted version.
 */
export function findCronFiles(root: string): CronFile[] {
  return [
    ...pathsIn(root, '/etc', cronFilesIn),
    ...pathsIn(root, '/etc/cron.d', cronFilesIn),
    ...spools.flatMap((folder) => pathsIn(root, folder, spooledIn)),
  ]
    .filter(({ path }) => isReadByCron(path))
    .map((file) => ({ ...file, owner: ownerOf(file.path) }));
}

function pathsIn(root: string, folder: string, filesIn: (folder: string) => string[]): Omit<CronFile, 'owner'>[] {
  const place = join(root, folder);
  if (!statSync(place, { throwIfNoEntry: false })?.isDirectory()) return [];
  const { read, adopted } = readable(place, () => ({ read: filesIn(place), adopted: readdirSync(place) }));
  const files = [
    ...read.map((name) => ({ path: join(folder, name), isAdopted: false })),
    ...adopted
      .filter((name) => originalPath(name) !== name)
      .map((name) => ({ path: join(folder, originalPath(name)), isAdopted: true })),
  ];
  const twice = files.find(
    ({ path, isAdopted }) => isAdopted && files.some((other) => other.path === path && !other.isAdopted),
  );
  if (!twice) return files.sort((a, b) => (a.path < b.path ? -1 : 1));
  const [path, adoptedBefore] = [join(root, twice.path), join(root, adoptedPath(twice.path))];
  throw new HorariumError(
    'conflict',
    `${path} is there again, beside ${adoptedBefore}: put what you need into one of them, and remove the other.`,
  );
}

function readable<T>(folder: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new HorariumError('denied', `${folder} cannot be read: ${(error as Error).message}. Run this as root.`);
  }
}
