import { readdirSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { HorariumError } from '@horarium/core/plugin';

/** Where the crontabs of users are, each by the name of its user: on Debian and its like, and on Red Hat and its like. */
export const spools = ['/var/spool/cron/crontabs', '/var/spool/cron'];

/** Whether cron reads a file as one of the system, in which each line names a user before its command. */
export function isSystemPath(path: string): boolean {
  return path === '/etc/crontab' || basename(dirname(path)) === 'cron.d';
}

/** Returns the user whose crontab a file is, on this machine or in the file system of another one; null for none. */
export function ownerOf(path: string): string | null {
  return spools.some((folder) => dirname(path).endsWith(folder)) ? basename(path) : null;
}

/** Returns the names of the files in a folder of the system, such as /etc/cron.d, that cron reads. */
export function cronFilesIn(folder: string): string[] {
  return filesIn(folder, /^[\w-]+$/);
}

/** Returns the names of the crontabs of users in a folder, without those that crontab(1) is just writing. */
export function spooledIn(folder: string): string[] {
  return filesIn(folder, /^(?!tmp\.)[A-Za-z_][\w.-]*\$?$/);
}

function filesIn(folder: string, pattern: RegExp): string[] {
  return namesIn(folder).filter((name) => pattern.test(name) && isFile(join(folder, name)));
}

/** Returns the names of what is in a folder. @throws HorariumError `denied` where it may not be read. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    throw new HorariumError('denied', `${folder} cannot be read: ${(error as Error).message}.`);
  }
}

/** Whether there is a folder, as far as this process may see. */
export function isFolder(path: string): boolean {
  return statOf(path)?.isDirectory() ?? false;
}

/** Whether there is a file, or a symbolic link to one, which cron reads too. */
function isFile(path: string): boolean {
  return statOf(path)?.isFile() ?? false;
}

/** Returns what a path is; undefined where there is nothing, or this process may not see it. */
export function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Returns the path of a crontab once it is adopted: beside the former one, by a name that no cron reads. */
export function adoptedPath(path: string): string {
  return join(dirname(path), `.${basename(path)}.adopted`);
}

/** Returns the path of a crontab before it was adopted; that of any other file as it is. */
export function originalPath(path: string): string {
  const [, name] = /^\.(.+)\.adopted$/.exec(basename(path)) ?? [];
  return name === undefined ? path : join(dirname(path), name);
}
