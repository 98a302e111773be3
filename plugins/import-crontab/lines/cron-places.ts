import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Where the crontabs of users are, each by the name of its user: on Debian and its like, and on Red Hat and its like. */
export const spools = ['/var/spool/cron/crontabs', '/var/spool/cron'];

/** Whether cron reads a file as one of the system, in which each line names a user before its command. */
export function isSystemPath(path: string): boolean {
  return path === '/etc/crontab' || basename(dirname(path)) === 'cron.d';
}

/** Returns the user whose crontab cron takes a file for; null for none. */
export function ownerOf(path: string): string | null {
  return spools.includes(dirname(path)) ? basename(path) : null;
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
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && pattern.test(entry.name))
    .map(({ name }) => name)
    .sort();
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
