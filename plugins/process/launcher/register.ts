import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { type LauncherSettings, launcherFolderPrefix } from '../messages.ts';
import { processOf } from '../sandbox/process-table.ts';
import { reap } from '../sandbox/survivors.ts';
import type { CleanupResult } from './cleanups.ts';
import { isOwnFolder, removeLauncherFolders } from './launcher-folder.ts';

interface RegisteredLauncher {
  readonly pid: number;
  /** The start of that process, because process ids are used again. */
  readonly beginning: number;
  readonly host: string;
  /** A process id is unique only within one boot of a machine, and one PID namespace. */
  readonly boot: string;
  readonly namespace: string;
  readonly scratch: string;
  readonly cgroup: string | null;
}

/**
 * Records in its folder that this process is a launcher. When server and launcher are killed at the same time, jobs may run
 * on; `endDeadLaunchers` kills them later.
 */
export function registerLauncher(
  { folder, scratch }: Pick<LauncherSettings, 'folder' | 'scratch'>,
  cgroup: string | null,
): void {
  const beginning = processOf(process.pid)?.beginning ?? 0;
  const self: RegisteredLauncher = { pid: process.pid, beginning, ...place(), scratch, cgroup };
  writeFileSync(`${folder}/launcher`, JSON.stringify(self), { mode: 0o600 });
}

/**
 * Kills the jobs of launchers that were killed, by their folders in a folder.
 * @returns what then runs their cleanups and removes their folders, and resolves to how the cleanups ended. Never rejects.
 */
export async function endDeadLaunchers(parent: string): Promise<() => Promise<CleanupResult>> {
  const dead: Pick<LauncherSettings, 'folder' | 'scratch'>[] = [];
  for (const name of launchersIn(parent)) {
    const folder = `${parent}/${name}`;
    const launcher = launcherOf(folder);
    if (!launcher || !hasEnded(launcher)) continue;
    await reap({ launcher: name, cgroup: launcher.cgroup });
    dead.push({ folder, scratch: launcher.scratch });
  }
  return async () => {
    const results = await Promise.all(dead.map(removeLauncherFolders));
    return {
      succeeded: results.reduce((sum, { succeeded }) => sum + succeeded, 0),
      problems: results.flatMap(({ problems }) => problems),
    };
  };
}

/**
 * The launcher that a folder names; null for folders that others can write to: they could name any folder to remove, any
 * cgroup to kill, and any command to run.
 */
export function launcherOf(folder: string): RegisteredLauncher | null {
  try {
    return isOwnFolder(folder) ? JSON.parse(readFileSync(`${folder}/launcher`, 'utf8')) : null;
  } catch {
    // The folder is being made at this moment, or belongs to another user.
    return null;
  }
}

function launchersIn(parent: string): string[] {
  try {
    return readdirSync(parent).filter((name) => name.startsWith(launcherFolderPrefix));
  } catch {
    // No launcher was ever there.
    return [];
  }
}

/**
 * Whether a launcher has ended, as all of an earlier boot of this machine have. Those of other machines, and of other PID
 * namespaces, cannot be judged.
 */
function hasEnded({ pid, beginning, host, boot, namespace }: RegisteredLauncher): boolean {
  const here = place();
  if (boot !== here.boot) return host === here.host;
  return namespace === here.namespace && processOf(pid)?.beginning !== beginning;
}

function place(): Pick<RegisteredLauncher, 'host' | 'boot' | 'namespace'> {
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  return { host: hostname(), boot, namespace: readlinkSync('/proc/self/ns/pid') };
}
