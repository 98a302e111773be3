import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, realpath } from 'node:fs/promises';
import { HorariumError } from '@horarium/core';
import { runSystemTool } from '../../system-tool.ts';

/** A user of this machine, also of a directory service. */
export interface SystemUser {
  readonly name: string;
  readonly uid: number;
  readonly group: string;
  readonly gid: number;
}

/** Finds a user of this machine by name; null where there is none. */
export async function findSystemUser(name: string): Promise<SystemUser | null> {
  const ask = async (what: string) => (await runSystemTool('id', [what, '--', name])).trim();
  try {
    const [uid, gid, group] = await Promise.all([ask('-u'), ask('-g'), ask('-gn')]);
    return { name, uid: Number(uid), gid: Number(gid), group };
  } catch {
    return null;
  }
}

/**
 * Creates a user without a password and a shell, for a service or its jobs.
 * @param home of the user, which is not created.
 * @throws HorariumError `unavailable` with what `useradd` says.
 */
export async function createSystemUser(name: string, home: string): Promise<SystemUser> {
  const hasGroup = await runSystemTool('getent', ['group', '--', name]).then(
    () => true,
    () => false,
  );
  const group = hasGroup ? ['--gid', name] : ['--user-group'];
  const options = ['--system', ...group, '--no-create-home', '--home-dir', home, '--shell', '/usr/sbin/nologin'];
  try {
    await runSystemTool('useradd', [...options, '--', name]);
  } catch (error) {
    throw new HorariumError('unavailable', `The user ${name} cannot be created: ${(error as Error).message}`);
  }
  const user = await findSystemUser(name);
  if (!user) throw new HorariumError('unavailable', `useradd has created no user ${name}.`);
  return user;
}

/** Makes a folder that only a user can enter, also where it is a link, and gives the user all that is in it. */
export async function makeFolderOf({ uid, gid }: SystemUser, path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  await runSystemTool('chown', ['--recursive', '--no-dereference', '--', `${uid}:${gid}`, await realpath(path)]);
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
