import { userNamed } from '../../process/users/users.ts';
import type { CrontabLine } from './crontab-records.ts';
import { isMailAddress } from './mail-of-lines.ts';

/**
 * Names each thing of a crontab that cron does and Horarium does not.
 * @param mailRefusal why no mail can be sent; null = it can.
 */
export function differencesOf(lines: readonly CrontabLine[], file: string, mailRefusal: string | null): string[] {
  return [...mailNotes(lines, file, mailRefusal), ...userNotes(lines, file)];
}

/**
 * Says as which users lines cannot run here.
 * @param refusalOf says why a user is ruled out, as the end of a sentence, which may begin with its name; null = it is not.
 * @returns a sentence for each reason.
 */
export function refusedUsers(
  crontabs: readonly { readonly lines: readonly CrontabLine[] }[],
  refusalOf: (user: string) => string | null,
): string[] {
  const users = [...new Set(crontabs.flatMap(({ lines }) => lines.flatMap(({ user }) => user ?? [])))];
  const refused = users.flatMap((user) => {
    const refusal = refusalOf(user);
    return refusal === null ? [] : [{ user, reason: reasonOf(user, refusal) }];
  });
  return [...Map.groupBy(refused, ({ reason }) => reason)].map(
    ([reason, group]) => `Jobs of these lines cannot start: ${group.map(({ user }) => user).join(', ')}${reason}.`,
  );
}

/** What follows the name of a user, so that one sentence can name all users whom the same reason rules out. */
function reasonOf(user: string, refusal: string): string {
  return refusal.startsWith(`${user} `) ? refusal.slice(user.length) : `: ${refusal}`;
}

function mailNotes(lines: readonly CrontabLine[], file: string, mailRefusal: string | null): string[] {
  const all = [...new Set(lines.flatMap(({ mailto }) => mailto ?? []))];
  return all.flatMap((mailto) => {
    const subject = `${file}: MAILTO=${mailto} sends no mail`;
    if (!isMailAddress(mailto))
      return [`${subject}, because it is no address; write one, such as ${mailto}@example.com.`];
    return mailRefusal === null ? [] : [`${subject}: ${mailRefusal}.`];
  });
}

function userNotes(lines: readonly CrontabLine[], file: string): string[] {
  const users = new Set(lines.flatMap(({ user }) => user ?? []));
  const unknown = [...users].filter((user) => userNamed(user) === null);
  return unknown.map(
    (user) => `${file}: this machine has no user ${user}; its jobs fail unless the machine of their worker has one.`,
  );
}
