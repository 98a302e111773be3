import { userNamed } from '../process/users/users.ts';
import type { CrontabEntry } from './crontab.ts';

/** Names each thing of a crontab that cron does and Horarium does not. */
export function differencesOf(entries: readonly CrontabEntry[], file: string): string[] {
  return [...mailNotes(entries, file), ...userNotes(entries, file), ...folderNotes(entries, file)];
}

function mailNotes(entries: readonly CrontabEntry[], file: string): string[] {
  const addresses = new Set(entries.map(({ environment }) => environment['MAILTO']?.trim()).filter(Boolean));
  return [...addresses].map(
    (address) =>
      `${file}: MAILTO=${address} sends no mail here, it is only a variable of the jobs; write the action email into on_failure of the company or of the run templates (horarium help mail).`,
  );
}

function userNotes(entries: readonly CrontabEntry[], file: string): string[] {
  const users = new Set(entries.flatMap(({ user }) => user ?? []));
  const unknown = [...users].filter((user) => userNamed(user) === null);
  return unknown.map(
    (user) => `${file}: this machine has no user ${user}; its jobs fail unless the machine of their worker has one.`,
  );
}

/** A path that begins at the folder in which a command runs. */
const relativePath = /(?:^|[\s;&|(<>])\.{1,2}\//;
/** A command that chooses its folder itself. */
const changesFolder = /(?:^|[\s;&|(])cd(?:\s|$)/;

function folderNotes(entries: readonly CrontabEntry[], file: string): string[] {
  return entries.flatMap(({ command, line }) =>
    relativePath.test(command) && !changesFolder.test(command)
      ? [
          `${file}, line ${line}: the command names a path relative to the user's home folder, but jobs run in a temporary folder of their own; write the whole path, or begin with cd.`,
        ]
      : [],
  );
}
