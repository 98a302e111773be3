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

/** The user of that name, or null. Users that are only known to a directory service are not found. */
export function userNamed(name: string): User | null {
  return users().find((user) => user.name === name) ?? null;
}

/** The user this process runs as, or null where it has no entry (a container with a number only). */
export function ownUser(): User | null {
  const uid = process.getuid?.();
  return users().find((user) => user.uid === uid) ?? null;
}

function users(): User[] {
  return readPasswd()
    .split('\n')
    .map((line) => line.split(':'))
    .filter((fields) => fields.length >= 7 && /^\d+$/.test(fields[2] as string) && /^\d+$/.test(fields[3] as string))
    .map(([name, , uid, gid, , home]) => ({
      name: name as string,
      uid: Number(uid),
      gid: Number(gid),
      home: home as string,
    }));
}

function readPasswd(): string {
  try {
    return readFileSync('/etc/passwd', 'utf8');
  } catch {
    return '';
  }
}
