import { readFileSync } from 'node:fs';

/** The user and the group that a process runs as. */
export interface Identity {
  readonly uid: number;
  readonly gid: number;
}

/** A user of this machine. */
export interface User extends Identity {
  readonly name: string;
  readonly home: string;
}

/** A range of ids, both ends included. */
export interface IdRange {
  readonly from: number;
  readonly to: number;
}

/** The user of that name, or null. Users that are only known to a directory service are not found. */
export function userNamed(name: string): User | null {
  return users().find((user) => user.name === name) ?? null;
}

/** The user this process runs as, or null where it has no entry (a container with a number only). */
export function ownUser(): User | null {
  const uid = process.getuid?.();
  return users().find((user) => user.uid === uid) ?? null;
}

/**
 * Whom an id in a range belongs to: a user, a group, or a user whose programs may take it by a user namespace.
 * @returns a description to complete the sentence `it holds …`; null where nobody has any of the ids.
 */
export function holderWithin({ from, to }: IdRange): string | null {
  const isWithin = (id: number) => id >= from && id <= to;
  const known = users();
  const user = known.find(({ uid }) => isWithin(uid));
  if (user) return `${user.uid}, the id of the user ${user.name}`;
  const member = known.find(({ gid }) => isWithin(gid));
  if (member) return `${member.gid}, the id of the group of the user ${member.name}`;
  const group = entries('/etc/group', 3).find(([, , gid]) => isWithin(Number(gid)));
  if (group) return `${group[2]}, the id of the group ${group[0]}`;
  const taker = takerWithin({ from, to });
  return taker === null ? null : `ids that the user ${taker} may take by a user namespace (subuid)`;
}

/** The user whose programs may take ids of a range by a user namespace (subuid(5)); null where none may. */
export function takerWithin({ from, to }: IdRange): string | null {
  const subordinate = ['/etc/subuid', '/etc/subgid'].flatMap((file) => entries(file, 3));
  const taken = subordinate.find(([, start, count]) => Number(start) <= to && Number(start) + Number(count) > from);
  return taken?.[0] ?? null;
}

/** Reads the users of this machine. */
export function users(): User[] {
  return entries('/etc/passwd', 7)
    .filter(([, , uid, gid]) => /^\d+$/.test(uid as string) && /^\d+$/.test(gid as string))
    .map(([name, , uid, gid, , home]) => ({
      name: name as string,
      uid: Number(uid),
      gid: Number(gid),
      home: home as string,
    }));
}

/** The lines of a file of fields between colons that have at least so many; none where it cannot be read. */
function entries(file: string, fields: number): string[][] {
  return read(file)
    .split('\n')
    .map((line) => line.split(':'))
    .filter(({ length }) => length >= fields);
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
