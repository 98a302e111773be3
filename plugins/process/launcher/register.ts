import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
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
  /** The boot id and the PID namespace: a process id is unique only within both. */
  readonly namespace: string;
  readonly scratch: string;
  readonly cgroup: string | null;
}

/**
 * Records in its folder that this process is a launcher. If server and launcher are killed at the same time, jobs may go on
 * running; `endDeadLaunchers` kills them later.
 */
export function registerLauncher(
  { folder, scratch }: Pick<LauncherSettings, 'folder' | 'scratch'>,
  cgroup: string | null,
): void {
  const beginning = processOf(process.pid)?.beginning ?? 0;
  const place = { host: hostname(), namespace: processNamespace() };
  const self: RegisteredLauncher = { pid: process.pid, beginning, ...place, scratch, cgroup };
  writeFileSync(`${folder}/launcher`, JSON.stringify(self), { mode: 0o600 });
}

/**
 * Kills the jobs of launchers that were killed, by their folders in a folder.
 * @returns what then runs their cleanups and removes their folders, and resolves to how the cleanups of each ended.
 */
export async function endDeadLaunchers(parent: string): Promise<() => Promise<CleanupResult[]>> {
  const dead: Pick<LauncherSettings, 'folder' | 'scratch'>[] = [];
  for (const name of launchersIn(parent)) {
    const folder = `${parent}/${name}`;
    const launcher = launcherOf(folder);
    if (!launcher || !hasEnded(launcher)) continue;
    await reap({ launcher: name, cgroup: launcher.cgroup });
    dead.push({ folder, scratch: launcher.scratch });
  }
  return () => Promise.all(dead.map(removeLauncherFolders));
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
function hasEnded({ pid, beginning, host, namespace }: RegisteredLauncher): boolean {
  const here = processNamespace();
  if (namespace === here) return processOf(pid)?.beginning !== beginning;
  return host === hostname() && dirname(namespace) !== dirname(here);
}

function processNamespace(): string {
  return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}/${readlinkSync('/proc/self/ns/pid')}`;
}
