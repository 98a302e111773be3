import { accessSync, constants } from 'node:fs';
import { users } from '../../process/users/users.ts';
import { isSystemPath } from './cron-places.ts';

/** Where the programs are that a crontab of one user may begin a command with. */
const programFolders = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];

/**
 * Whether a crontab has the format of /etc/crontab, in which each line names a user before its command. Recognized by the place of
 * the file, or by its lines: where a user of this machine stands before a command, and what may be a user in all others.
 * @param path absolute; null = standard input.
 */
export function hasSystemFormat(path: string | null, text: string): boolean {
  if (path !== null && isSystemPath(path)) return true;
  const lines = text.split(/\r?\n/).flatMap((line) => [...line.matchAll(commandLine)]);
  const names = new Set(users().map(({ name }) => name)).add('root');
  const mayNameUser = ([, first = '', second = '']: readonly string[]) =>
    second !== '' && !second.startsWith('-') && /^\w[\w.-]*$/.test(first) && !isProgram(first);
  return lines.every(mayNameUser) && lines.some(([, first = '']) => names.has(first));
}

/** A line that runs something, with the two words after its times. */
const commandLine = /^[ \t]*(?:@[a-z]+|[\d*][^\s=]*(?:[ \t]+[\w*,/-]+){4})[ \t]+(\S+)(?:[ \t]+(\S+))?/gi;

function isProgram(name: string): boolean {
  return programFolders.some((folder) => {
    try {
      accessSync(`${folder}/${name}`, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
