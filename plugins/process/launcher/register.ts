import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { type LauncherSettings, launcherFolderPrefix } from '../messages.ts';
import { processOf } from '../sandbox/process-table.ts';
import { reap } from '../sandbox/survivors.ts';
import { isOwnFolder, removeLauncherFolders } from './launcher-folder.ts';

/**
 * Records on disk which launchers there are. When server and launcher are killed at the same time, jobs may run on; the
 * next launcher reads the register and kills them before it starts any of its own.
 */
export class Register {
  readonly #folder: string;
  #removed: Promise<unknown> = Promise.resolve();

  constructor({ folder, scratch }: Pick<LauncherSettings, 'folder' | 'scratch'>, cgroup: string | null) {
    this.#folder = folder;
    const self: RegisteredLauncher = {
      pid: process.pid,
      beginning: processOf(process.pid)?.beginning ?? 0,
      namespace: processNamespace(),
      scratch,
      cgroup,
    };
    writeFileSync(`${folder}/launcher`, JSON.stringify(self), { mode: 0o600 });
  }

  /** Kills the jobs of launchers that were killed, and begins to remove their folders. */
  async endPredecessors(): Promise<void> {
    const removed: Promise<void>[] = [];
    const parent = dirname(this.#folder);
    const names = readdirSync(parent).filter((name) => name.startsWith(launcherFolderPrefix));
    for (const name of names.filter((name) => name !== basename(this.#folder))) {
      const folder = `${parent}/${name}`;
      const launcher = launcherOf(folder);
      if (!launcher || launcher.namespace !== processNamespace()) continue;
      if (processOf(launcher.pid)?.beginning === launcher.beginning) continue;
      await reap({ launcher: name, cgroup: launcher.cgroup });
      removed.push(removeLauncherFolders({ folder, scratch: launcher.scratch }));
    }
    this.#removed = Promise.all(removed);
  }

  /** Resolves when the folders of predecessors are gone. */
  async close(): Promise<void> {
    await this.#removed;
  }
}

interface RegisteredLauncher {
  readonly pid: number;
  /** The start of that process, because process ids are used again. */
  readonly beginning: number;
  readonly namespace: string;
  readonly scratch: string;
  readonly cgroup: string | null;
}

/**
 * The launcher that a folder names; null for folders that others can write to: they could name any folder to remove,
 * and any cgroup to kill.
 */
export function launcherOf(folder: string): RegisteredLauncher | null {
  try {
    return isOwnFolder(folder) ? JSON.parse(readFileSync(`${folder}/launcher`, 'utf8')) : null;
  } catch {
    // The folder is being made at this moment, or belongs to another user.
    return null;
  }
}

/** The boot id and the PID namespace: a process id is unique only within both. */
function processNamespace(): string {
  return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}/${readlinkSync('/proc/self/ns/pid')}`;
}
