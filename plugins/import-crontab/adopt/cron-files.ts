import { realpathSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { HorariumError } from '@horarium/core/plugin';
import { userNamed } from '../../process/users/users.ts';
import {
  adoptedPath,
  cronFilesIn,
  isFolder,
  namesIn,
  originalPath,
  ownerOf,
  spooledIn,
  spools,
  statOf,
} from '../lines/cron-places.ts';

/** A file that cron reads, or has read before it was adopted. */
export interface CronFile {
  /** Where cron reads it, without the root folder: /etc/cron.d/php. */
  readonly path: string;
  /** The user whose crontab it is; null for one of the system, whose lines name users. */
  readonly owner: string | null;
  /** Whether it has been adopted, so that cron does not read it. */
  readonly isAdopted: boolean;
  /** Why others than root and its owner may have written it, as the end of a sentence; null = they cannot. cron leaves such a file out. */
  readonly refusal: string | null;
}

/** Whether a path is one at which cron of a machine looks for crontabs. */
export function isReadByCron(path: string): boolean {
  return path === '/etc/crontab' || dirname(path) === '/etc/cron.d' || spools.includes(dirname(path));
}

/** Returns the path by which cron knows a file that is named by a link to a folder of cron; that of any other file as it is. */
export function cronPathOf(path: string): string {
  try {
    const real = join(realpathSync(dirname(path)), basename(path));
    return isReadByCron(real) ? real : path;
  } catch {
    return path;
  }
}

/** Whether cron of this machine, where it is running, runs the lines of a file. */
export function isRunByCron(path: string): boolean {
  if (!isReadByCron(path)) return false;
  const folder = dirname(path);
  return (spools.includes(folder) ? spooledIn : cronFilesIn)(folder).includes(basename(path));
}

/** The crontabs of a machine. */
export interface FoundCronFiles {
  readonly files: readonly CronFile[];
  /** The paths that cron reads again, beside their adopted versions; neither is among the files. */
  readonly again: readonly string[];
}

/**
 * Finds the crontabs of a machine: /etc/crontab, the files in /etc/cron.d, and those of users.
 * @param root the folder in which the machine's file system is; `/` for this machine.
 * @throws HorariumError `denied` for a folder that may not be read, `conflict` for one that leads out of the root.
 */
export function findCronFiles(root: string): FoundCronFiles {
  const places = [
    ...pathsIn(root, '/etc', cronFilesIn),
    ...pathsIn(root, '/etc/cron.d', cronFilesIn),
    ...spools.flatMap((folder) => pathsIn(root, folder, spooledIn)),
  ].filter(({ path }) => isReadByCron(path));
  const again = places.map(({ path }) => path).filter((path, index, paths) => paths.indexOf(path) < index);
  const files = places
    .filter(({ path }) => !again.includes(path))
    .map((file) => {
      const owner = ownerOf(file.path);
      return { ...file, owner, refusal: refusalOf(placeOf(root, file), owner) };
    });
  return { files, again };
}

/** Returns where a file is now. */
export function placeOf(root: string, { path, isAdopted }: Place): string {
  return join(root, isAdopted ? adoptedPath(path) : path);
}

/** Says what to do with crontabs that are there again, beside their adopted versions, a sentence each. */
export function remediesOf(again: readonly string[]): string[] {
  if (again.length === 0) return [];
  const sentences = again.map(
    (path) =>
      `${path} is there again, beside ${adoptedPath(path)}: put what you need into one of them, and remove the other.`,
  );
  return [...sentences, 'Until then both run as they are.'];
}

/** Says why cron leaves a file out. */
export function leftOutNote(place: string, refusal: string): string {
  return `${place} is left out, as cron leaves it out: ${refusal}.`;
}

/**
 * Returns why a file may have been written by another user than root and its owner; null = it cannot. Its jobs would run as root, or
 * as the user whose it is said to be.
 */
export function refusalOf(place: string, owner: string | null): string | null {
  const stat = statOf(place);
  if (!stat) return 'it cannot be read';
  if ((stat.mode & 0o022) !== 0) return 'its group or all users may write to it (chmod go-w)';
  const owners = [0, process.getuid?.(), owner === null ? 0 : userNamed(owner)?.uid];
  return owners.includes(stat.uid) ? null : 'it belongs to another user';
}

type Place = Pick<CronFile, 'path' | 'isAdopted'>;

function pathsIn(root: string, folder: string, filesIn: (folder: string) => string[]): Place[] {
  const place = join(root, folder);
  if (!isFolder(place)) return [];
  if (relative(realpathSync(root), realpathSync(place)).startsWith('..'))
    throw new HorariumError('conflict', `${place} leads out of ${root}.`);
  const adopted = namesIn(place).filter((name) => originalPath(name) !== name);
  return [
    ...filesIn(place).map((name) => ({ path: join(folder, name), isAdopted: false })),
    ...adopted.map((name) => ({ path: join(folder, originalPath(name)), isAdopted: true })),
  ].sort((a, b) => (a.path < b.path ? -1 : 1));
}
