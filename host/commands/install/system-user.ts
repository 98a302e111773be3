import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { HorariumError } from '@horarium/core';

const run = promisify(execFile);

/** A user of this machine, also of a directory service. */
export interface SystemUser {
  readonly name: string;
  readonly uid: number;
  readonly group: string;
  readonly gid: number;
}

/** Finds a user of this machine by name; null where there is none. */
export async function findSystemUser(name: string): Promise<SystemUser | null> {
  const ask = async (what: string) => (await run('id', [what, '--', name])).stdout.trim();
  try {
    const [uid, gid, group] = await Promise.all([ask('-u'), ask('-g'), ask('-gn')]);
    return { name, uid: Number(uid), gid: Number(gid), group };
  } catch {
    return null;
  }
}

/**
 * Creates a user without a password and a shell, for a service.
 * @param home of the user, which is not created.
 * @throws HorariumError `unavailable` with what `useradd` says.
 */
export async function createSystemUser(name: string, home: string): Promise<SystemUser> {
  const options = ['--system', '--user-group', '--no-create-home', '--home-dir', home, '--shell', '/usr/sbin/nologin'];
  const failed = await run('useradd', [...options, '--', name]).then(
    () => null,
    (error: Error & { stderr?: string }) => error.stderr?.trim() || error.message,
  );
  const user = await findSystemUser(name);
  if (user) return user;
  throw new HorariumError('unavailable', `The user ${name} cannot be created: ${failed ?? 'useradd made none'}.`);
}

/**
 * Runs a program as a user, in a folder, with this process's terminal.
 * @param environment all of it, but for PATH.
 * @returns the exit code, or the name of the signal that ended it.
 * @throws Error with a `code` if it cannot be started.
 */
export async function runAs(
  { uid, gid }: SystemUser,
  [file = '', ...line]: readonly string[],
  { folder, environment = {}, quiet = false }: RunAsOptions,
): Promise<number | string> {
  const { PATH = '' } = process.env;
  const child = spawn(file, line, {
    uid,
    gid,
    cwd: folder,
    env: { PATH, ...environment },
    stdio: quiet ? 'ignore' : 'inherit',
  });
  const [code, signal] = await once(child, 'exit');
  return code ?? signal;
}

interface RunAsOptions {
  readonly folder: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Whether its output is dropped. @default false */
  readonly quiet?: boolean;
}
